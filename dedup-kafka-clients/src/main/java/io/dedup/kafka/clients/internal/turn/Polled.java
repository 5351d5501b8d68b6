package io.dedup.kafka.clients.internal.turn;

import io.dedup.adapter.Delivery;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** A polled record, and its delivery. */
public record Polled<K, V>(PolledPartition in, ConsumerRecord<K, V> record, Delivery delivery) {
    TopicPartition partition() {
        return in.partition();
    }
}
