/**
 * Faults between an application and its store or broker: in the network ({@link io.dedup.testkit.faults.TcpProxy}), in calls
 * of the store ({@link io.dedup.testkit.faults.FaultyStore}), a consumer that claims a message and stops
 * ({@link io.dedup.testkit.faults.ZombieHolder}), and a paused process ({@link io.dedup.testkit.faults.PausedProcess}).
 *
 * <p>Status: stable.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup.testkit.faults;

import org.jspecify.annotations.NullMarked;
