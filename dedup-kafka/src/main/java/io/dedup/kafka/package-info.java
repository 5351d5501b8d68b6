/**
 * Idempotent Kafka listeners with spring-kafka: {@link io.dedup.kafka.KafkaDedup} decorates listener containers,
 * {@link io.dedup.kafka.id.KafkaMessageIds} finds business IDs in records.
 *
 * <p>Status: stable.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup.kafka;

import org.jspecify.annotations.NullMarked;
