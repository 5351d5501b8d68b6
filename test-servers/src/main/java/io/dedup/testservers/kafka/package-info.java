/** Kafka brokers. */
@NullMarked
package io.dedup.testservers.kafka;

import org.jspecify.annotations.NullMarked;
