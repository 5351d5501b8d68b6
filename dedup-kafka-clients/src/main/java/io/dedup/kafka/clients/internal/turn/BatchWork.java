package io.dedup.kafka.clients.internal.turn;

import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The application's handler of many records. */
@FunctionalInterface
public interface BatchWork<K, V> {
    void handle(List<ConsumerRecord<K, V>> records) throws Exception;
}
