/** Failovers of Kafka: three brokers, one of which dies at a time. */
@NullMarked
package io.dedup.failover.kafka;

import org.jspecify.annotations.NullMarked;
