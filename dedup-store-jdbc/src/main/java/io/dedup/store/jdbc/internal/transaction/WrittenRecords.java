package io.dedup.store.jdbc.internal.transaction;

import io.dedup.DedupKey;
import io.dedup.store.jdbc.internal.dialect.RecordDialect.WrittenRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The records that a transaction has written, and the maximum duration that follows from them. Not thread-safe. */
final class WrittenRecords {
    private final Map<DedupKey, Long> tokens = new LinkedHashMap<>();
    private final long began = System.nanoTime();
    private final Duration longest;

    /**
     * Creates them for a transaction.
     *
     * @param longest the maximum duration of the transaction if it writes a record
     */
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

    /** Returns the keys whose records this transaction has written. */
    List<DedupKey> among(Collection<DedupKey> keys) {
        List<DedupKey> own = new ArrayList<>(keys);
        own.retainAll(tokens.keySet());
        return own;
    }

    /** The one that was written first: if the database has undone a part of the transaction, it is gone. Null if there is none. */
    @Nullable
    WrittenRecord any() {
        for (Map.Entry<DedupKey, Long> each : tokens.entrySet()) {
            return new WrittenRecord(each.getKey(), each.getValue());
        }
        return null;
    }

    /** Whether the transaction has written a record and exceeded its maximum duration. */
    boolean areLate() {
        return !tokens.isEmpty() && System.nanoTime() - began > longest.toNanos();
    }

    /** Describes that the transaction has exceeded its maximum duration. */
    String late() {
        return "the transaction has taken longer than maxProcessingTime, which is " + longest;
    }
}
