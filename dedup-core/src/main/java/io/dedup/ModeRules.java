package io.dedup;

import io.dedup.store.DedupStore;
import io.dedup.store.TransactionalRecords;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What the modes need, and don't go with. */
record ModeRules(DedupStore store, @Nullable TransactionalRecords transactions) {

    /**
     * Refuses settings of one policy that don't go with its mode.
     *
     * @param mode as it is set, also in shadow mode
     */
    static void check(DedupMode mode, DedupPolicy policy) {
        if (!mode.isTransactional()) {
            return;
        }
        if (policy.onStoreFailure() == OnStoreFailure.PROCESS) {
            throw new IllegalArgumentException("onStoreFailure PROCESS runs handlers without a record, which mode "
                    + mode + " promises to commit with the effect: use RETRY or PAUSE, or mode LEASED");
        }
        if (mode == DedupMode.TRANSACTIONAL && policy.maxDeaths() > 0) {
            throw new IllegalArgumentException("maxDeaths (" + policy.maxDeaths() + ") isn't available in mode"
                    + " TRANSACTIONAL, where a rollback forgets the attempt: set it to 0, or use mode"
                    + " LEASED_TRANSACTIONAL or TIERED");
        }
        Duration window = policy.window().duration();
        Duration timeout = policy.maxProcessingTime();
        if (mode != DedupMode.LEASED_TRANSACTIONAL && window != null && window.compareTo(timeout) <= 0) {
            throw new IllegalArgumentException("window (" + window + ") must be longer than maxProcessingTime ("
                    + timeout + ") in mode " + mode + ", where it counts from the claim: it could be over before the"
                    + " transaction commits. Raise the one or lower the other");
        }
    }

    /** Refuses a mode that the deduplicator hasn't got the means for. */
    void check(String where, DedupPolicy policy) {
        DedupMode mode = policy.mode();
        if (!mode.isTransactional()) {
            return;
        }
        if (transactions == null) {
            throw new IllegalArgumentException(where + ": mode " + mode + " needs transactions(...), for instance"
                    + " transactions(jdbcStore.transactions(transactionManager))");
        }
        boolean sameTable = transactions.holdsClaimsOf(store);
        if (mode == DedupMode.LEASED_TRANSACTIONAL && !sameTable) {
            throw new IllegalArgumentException(
                    where + ": mode LEASED_TRANSACTIONAL completes within the transaction what"
                            + " was claimed in the store, so the store must be the one that transactions(...) was made from, but"
                            + " is " + store.name() + ": use Deduplicator.builder(jdbcStore), or mode TIERED");
        }
        if (mode == DedupMode.TIERED && sameTable) {
            throw new IllegalArgumentException(where + ": mode TIERED needs another store in front of the table of"
                    + " transactions(...): use Deduplicator.builder(redisStore), or mode TRANSACTIONAL");
        }
    }
}
