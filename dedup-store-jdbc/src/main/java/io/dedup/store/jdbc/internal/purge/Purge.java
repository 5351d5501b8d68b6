package io.dedup.store.jdbc.internal.purge;

import io.dedup.DedupStoreException;
import io.dedup.store.jdbc.internal.dialect.Dialect;
import io.dedup.store.jdbc.internal.dialect.Dialect.PurgeRun;
import io.dedup.store.jdbc.internal.failure.SqlFailures;
import io.dedup.store.jdbc.internal.operation.RaceRetry;
import io.dedup.store.jdbc.internal.operation.StoreCalls;

/** Removes expired records in batches, each a transaction of its own on a connection that is given back after it. */
public final class Purge {
    private final StoreCalls calls;
    private final Dialect dialect;
    private final SqlFailures failures;
    private final int batchSize;

    public Purge(StoreCalls calls, Dialect dialect, SqlFailures failures, int batchSize) {
        this.calls = calls;
        this.dialect = dialect;
        this.failures = failures;
        this.batchSize = batchSize;
    }

    /** How many records a batch looks at, at most. */
    int batchSize() {
        return batchSize;
    }

    /**
     * Removes batch after batch, until nothing is left or as many are removed as were asked for.
     *
     * @return how many were removed
     * @throws DedupStoreException when the database fails; what was removed before stays removed
     */
    public int upTo(int limit) {
        int removed = 0;
        while (removed < limit) {
            int size = Math.min(batchSize, limit - removed);
            PurgeRun run = batch(size);
            removed += run.removed();
            if (!run.more()) {
                break;
            }
        }
        return removed;
    }

    /**
     * Looks at no more than {@code size} records that are due, and removes those that are expired.
     *
     * @throws DedupStoreException when the database fails
     */
    PurgeRun batch(int size) {
        return calls.run(
                "purge",
                connection -> RaceRetry.untilAnswered("purge", failures, () -> dialect.purge(connection, size)));
    }
}
