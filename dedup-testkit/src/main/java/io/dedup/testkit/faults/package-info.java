/**
 * Breaks on purpose what lies between an application and its store or broker: the network ({@link
 * io.dedup.testkit.faults.TcpProxy}), calls of the store ({@link io.dedup.testkit.faults.FaultyStore}), a holder of a claim
 * that doesn't come back ({@link io.dedup.testkit.faults.ZombieHolder}), a process that stands still ({@link
 * io.dedup.testkit.faults.PausedProcess}).
 */
@NullMarked
package io.dedup.testkit.faults;

import org.jspecify.annotations.NullMarked;
