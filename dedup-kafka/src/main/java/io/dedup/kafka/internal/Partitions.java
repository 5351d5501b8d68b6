package io.dedup.kafka.internal;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** Names the partition of a record. */
public final class Partitions {
    private Partitions() {}

    public static TopicPartition of(ConsumerRecord<?, ?> record) {
        return new TopicPartition(record.topic(), record.partition());
    }
}
