package io.dedup.ledger.consumer;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.id.MessageIdExtractor;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Attempts as listeners see them: the only way if a handler gets a batch. Thread-safe. */
final class Attempts implements DedupListener {
    private final Map<String, Integer> attempts = new ConcurrentHashMap<>();
    private final MessageIdExtractor<ConsumerRecord<?, ?>> ids;

    Attempts(MessageIdExtractor<ConsumerRecord<?, ?>> ids) {
        this.ids = ids;
    }

    @Override
    public void acquired(DedupKey key, int attempt) {
        attempts.put(key.messageId(), attempt);
    }

    /** Of the last run of this message in this process; 0 for none. */
    int of(ConsumerRecord<?, ?> record) {
        String id = ids.extract(record);
        return id == null ? 0 : attempts.getOrDefault(id, 0);
    }
}
