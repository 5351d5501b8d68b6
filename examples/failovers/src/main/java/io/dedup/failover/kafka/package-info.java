/** Kafka fails over: three brokers, of which one at a time dies. */
@NullMarked
package io.dedup.failover.kafka;

import org.jspecify.annotations.NullMarked;
