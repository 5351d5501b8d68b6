package io.dedup.kafka.clients;

import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Handles one record, on the thread that calls {@link DedupPoll#poll(java.time.Duration, RecordHandler)}.
 *
 * @param <K> the type of the records' keys
 * @param <V> the type of the records' values
 */
@FunctionalInterface
public interface RecordHandler<K, V> {
    /**
     * Handles the record. When this returns, its effect must have happened.
     *
     * @throws Exception if it has failed; the record is delivered again
     */
    void handle(ConsumerRecord<K, V> record) throws Exception;
}
