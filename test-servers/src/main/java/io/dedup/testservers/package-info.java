/**
 * Real brokers and stores for tests, benchmarks and examples.
 *
 * <p>Each kind of server exists in two forms. A <em>shared</em> server is started at most once per JVM (or taken from
 * an address given by the user, or from a container). A separate server runs in a process of its own and can be
 * stopped, killed, paused and restarted on the same port. No server outlives the JVM that started it, not even if that
 * JVM is killed.
 */
@NullMarked
package io.dedup.testservers;

import org.jspecify.annotations.NullMarked;
