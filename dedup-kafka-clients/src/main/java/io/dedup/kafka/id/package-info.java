/**
 * What identifies a Kafka record: its message ID, its place, the fingerprint of its payload. Needs no Spring. {@link
 * io.dedup.kafka.id.KafkaMessageIds} finds business IDs in records, {@link io.dedup.kafka.id.DedupIdStamp} adds IDs to records that are
 * sent.
 */
@NullMarked
package io.dedup.kafka.id;

import org.jspecify.annotations.NullMarked;
