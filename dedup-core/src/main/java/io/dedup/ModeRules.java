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
        SettingNames names = policy.settingNames();
        if (policy.onStoreFailure() == OnStoreFailure.PROCESS) {
            throw new IllegalArgumentException(names.name("onStoreFailure") + " " + names.value(OnStoreFailure.PROCESS)
                    + " runs handlers without a record, which mode " + names.value(mode)
                    + " promises to commit with the effect: use " + names.value(OnStoreFailure.RETRY) + " or "
                    + names.value(OnStoreFailure.PAUSE) + ", or mode " + names.value(DedupMode.LEASED));
        }
        if (mode == DedupMode.TRANSACTIONAL && policy.maxDeaths() > 0) {
            throw new IllegalArgumentException(names.name("maxDeaths") + " (" + policy.maxDeaths()
                    + ") isn't available in mode " + names.value(mode)
                    + ", where a rollback forgets the attempt: set it to 0, or use mode "
                    + names.value(DedupMode.LEASED_TRANSACTIONAL) + " or " + names.value(DedupMode.TIERED));
        }
        Duration window = policy.window().duration();
        Duration timeout = policy.maxProcessingTime();
        if (mode != DedupMode.LEASED_TRANSACTIONAL && window != null && window.compareTo(timeout) <= 0) {
            throw new IllegalArgumentException("window (" + names.value(window) + ") must be longer than "
                    + names.name("maxProcessingTime") + " (" + names.value(timeout) + ") in mode " + names.value(mode)
                    + ", where it counts from the claim: it could be over before the transaction commits. Raise the one"
                    + " or lower the other");
        }
    }

    /** Refuses a mode that the deduplicator hasn't got the means for. */
    void check(String where, DedupPolicy policy) {
        DedupMode mode = policy.mode();
        if (!mode.isTransactional()) {
            return;
        }
        SettingNames names = policy.settingNames();
        if (transactions == null) {
            throw new IllegalArgumentException(
                    where + ": mode " + names.value(mode) + " needs transactions(...), for instance"
                            + " transactions(jdbcStore.transactions(transactionManager))");
        }
        boolean sameTable = transactions.holdsClaimsOf(store);
        if (mode == DedupMode.LEASED_TRANSACTIONAL && !sameTable) {
            throw new IllegalArgumentException(where + ": mode " + names.value(mode)
                    + " completes within the transaction what was claimed in the store, so the store must be the one"
                    + " that transactions(...) was made from, but is " + store.name()
                    + ": use Deduplicator.builder(jdbcStore), or mode " + names.value(DedupMode.TIERED));
        }
        if (mode == DedupMode.TIERED && sameTable) {
            throw new IllegalArgumentException(where + ": mode " + names.value(mode)
                    + " needs another store in front of the table of transactions(...): use"
                    + " Deduplicator.builder(redisStore), or mode " + names.value(DedupMode.TRANSACTIONAL));
        }
    }
}
