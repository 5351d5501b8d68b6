/** RocketMQ's clients over a simulated broker, and callers of a deduplicator over other brokers; all of it in virtual time. */
@NullMarked
package io.dedup.simulation.rocketmq;

import org.jspecify.annotations.NullMarked;
