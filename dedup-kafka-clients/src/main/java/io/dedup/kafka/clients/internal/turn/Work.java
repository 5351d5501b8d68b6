package io.dedup.kafka.clients.internal.turn;

import io.dedup.DedupContext;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The application's handler of one record. */
@FunctionalInterface
public interface Work<K, V> {
    void handle(ConsumerRecord<K, V> record, DedupContext context) throws Exception;
}
