/**
 * Idempotent poll loops of plain Kafka consumers: {@link io.dedup.kafka.clients.DedupPoll}. Needs no Spring.
 *
 * <p>{@link io.dedup.kafka.id.KafkaMessageIds} finds business IDs in records.
 *
 * <p>Status: stable.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup.kafka.clients;

import org.jspecify.annotations.NullMarked;
