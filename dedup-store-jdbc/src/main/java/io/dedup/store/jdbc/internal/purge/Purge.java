package io.dedup.store.jdbc.internal.purge;

import io.dedup.DedupStoreException;
import io.dedup.store.jdbc.internal.dialect.Dialect;
import io.dedup.store.jdbc.internal.dialect.Dialect.PurgeRun;
import io.dedup.store.jdbc.internal.failure.SqlFailures;
import io.dedup.store.jdbc.internal.operation.RaceRetry;
import io.dedup.store.jdbc.internal.operation.StoreCalls;

/** Removes expired records in batches. Each batch is a transaction on a connection that is returned afterwards. */
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

    /** The maximum number of records that a batch checks. */
    int batchSize() {
        return batchSize;
    }

    /**
     * Removes batches until nothing is left or the limit is reached.
     *
     * @return the number of removed records
     * @throws DedupStoreException if the database fails; records removed before that stay removed
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
     * Checks at most {@code size} due records, and removes those that have expired.
     *
     * @throws DedupStoreException if the database fails
     */
    PurgeRun batch(int size) {
        return calls.run(
                "purge",
                connection -> RaceRetry.untilAnswered("purge", failures, () -> dialect.purge(connection, size)));
    }
}
