/**
 * What breaks between an application and its store or broker, to be broken on purpose in a test: the network ({@link
 * io.dedup.testkit.faults.TcpProxy}), the store's calls ({@link io.dedup.testkit.faults.FaultyStore}), a holder that
 * doesn't come back ({@link io.dedup.testkit.faults.ZombieHolder}), a process that stands still ({@link
 * io.dedup.testkit.faults.PausedProcess}).
 */
@NullMarked
package io.dedup.testkit.faults;

import org.jspecify.annotations.NullMarked;
