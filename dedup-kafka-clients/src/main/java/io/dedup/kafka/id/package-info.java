/**
 * What identifies a Kafka record: its message ID, its place, the fingerprint of its payload. Needs no Spring. {@link
 * io.dedup.kafka.id.KafkaMessageIds} finds business IDs in records, {@link io.dedup.kafka.id.DedupIdStamp} adds IDs to records that are
 * sent.
 *
 * <p>Status: stable.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup.kafka.id;

import org.jspecify.annotations.NullMarked;
