package io.dedup.kafka.clients;

import io.dedup.DedupContext;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Like {@link RecordHandler}, with the context of the run: attempt, fencing token, whether its lease is lost.
 *
 * @param <K> the type of the records' keys
 * @param <V> the type of the records' values
 */
@FunctionalInterface
public interface ContextRecordHandler<K, V> {
    /**
     * Handles the record. When this returns, its effect must have happened.
     *
     * @throws Exception if it has failed; the record is delivered again
     */
    void handle(ConsumerRecord<K, V> record, DedupContext context) throws Exception;
}
