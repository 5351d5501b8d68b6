/**
 * Real brokers and stores for tests, benchmarks and examples.
 *
 * <p>For each server there is a <em>shared</em> one, which is started at most once per JVM (or taken from an address
 * given by the user, or from a container), and there are servers of one's own, in processes of their own, which can be
 * stopped, killed, paused and restarted on the same port. No server outlives the JVM that started it, not even when that
 * one is killed.
 */
@NullMarked
package io.dedup.testservers;

import org.jspecify.annotations.NullMarked;
