package io.dedup.store.jdbc.internal.transaction;

import io.dedup.DedupKey;
import io.dedup.store.jdbc.internal.dialect.RecordDialect.WrittenRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The records that one transaction has written, and how long it may last because of them. Not thread-safe. */
final class WrittenRecords {
    private final Map<DedupKey, Long> tokens = new HashMap<>();
    private final long began = System.nanoTime();
    private final Duration longest;

    /** @param longest how long the transaction may last, if it writes a record */
    WrittenRecords(Duration longest) {
        this.longest = longest;
    }

    Duration longest() {
        return longest;
    }

    void add(DedupKey key, long token) {
        tokens.put(key, token);
    }

    void remove(Collection<DedupKey> keys) {
        keys.forEach(tokens::remove);
    }

    boolean contains(DedupKey key) {
        return tokens.containsKey(key);
    }

    /** Those of the keys whose records this transaction has written. */
    List<DedupKey> among(Collection<DedupKey> keys) {
        List<DedupKey> own = new ArrayList<>(keys);
        own.retainAll(tokens.keySet());
        return own;
    }

    /** One of them; null where there is none. */
    @Nullable
    WrittenRecord any() {
        for (Map.Entry<DedupKey, Long> each : tokens.entrySet()) {
            return new WrittenRecord(each.getKey(), each.getValue());
        }
        return null;
    }

    /** Whether the transaction has written a record and lasted too long since. */
    boolean areLate() {
        return !tokens.isEmpty() && System.nanoTime() - began > longest.toNanos();
    }

    /** Says that they are late. */
    String late() {
        return "the transaction has taken longer than maxProcessingTime, which is " + longest;
    }
}
