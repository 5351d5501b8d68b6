package io.dedup.kafka.clients;

import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Handles the new records of a poll together.
 *
 * @param <K> the type of the records' keys
 * @param <V> the type of the records' values
 */
@FunctionalInterface
public interface BatchHandler<K, V> {
    /**
     * Handles the records. When this returns, the effects of all of them must have happened.
     *
     * @param records never empty; those of a partition are in the order of their offsets; unmodifiable
     * @throws Exception if it has failed; all these records are delivered again, each in a call of its own
     */
    void handle(List<ConsumerRecord<K, V>> records) throws Exception;
}
