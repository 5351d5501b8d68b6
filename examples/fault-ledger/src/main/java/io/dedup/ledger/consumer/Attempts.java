package io.dedup.ledger.consumer;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Attempts as listeners see them: the only way if a handler gets a batch. Thread-safe. */
final class Attempts implements DedupListener {
    private final Map<String, Integer> attempts = new ConcurrentHashMap<>();

    @Override
    public void acquired(DedupKey key, int attempt) {
        attempts.put(key.messageId(), attempt);
    }

    /** Of the last run of this message in this process; 0 for none. */
    int of(String id) {
        return attempts.getOrDefault(id, 0);
    }
}
