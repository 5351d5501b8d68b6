package io.dedup.internal.settings;

import io.dedup.policy.DedupMode;
import io.dedup.policy.DedupPolicy;
import io.dedup.policy.SettingNames;
import io.dedup.store.DedupStore;
import io.dedup.store.StepRecords;
import io.dedup.store.transaction.TransactionalRecords;
import org.jspecify.annotations.Nullable;

/** Checks that the stores support the modes. */
public record StoreRules(DedupStore store, @Nullable TransactionalRecords transactions) {
    /** Rejects a mode that the configured stores do not support. */
    public void check(String where, DedupPolicy policy) {
        DedupMode mode = policy.mode();
        if (policy.steps() && !(store instanceof StepRecords)) {
            throw new IllegalArgumentException(where + ": steps cannot be used, because store " + store.name()
                    + " doesn't keep them: it does not implement StepRecords. Remove steps, or use another store");
        }
        if (!mode.isTransactional()) {
            return;
        }
        SettingNames names = policy.settingNames();
        if (transactions == null) {
            throw new IllegalArgumentException(
                    where + ": mode " + names.value(mode) + " needs transactions(...), for example"
                            + " transactions(jdbcStore.transactions(transactionManager))");
        }
        boolean sameTable = transactions.holdsClaimsOf(store);
        if (mode == DedupMode.LEASED_TRANSACTIONAL && !sameTable) {
            throw new IllegalArgumentException(where + ": mode " + names.value(mode)
                    + " needs the store that transactions(...) was created from, because the transaction completes the"
                    + " store's claims; this store is " + store.name()
                    + ". Use Deduplicators.builder(jdbcStore), or mode " + names.value(DedupMode.TIERED));
        }
        if (mode == DedupMode.TIERED && sameTable) {
            throw new IllegalArgumentException(where + ": mode " + names.value(mode)
                    + " needs a second store in front of the table of transactions(...), such as Redis. Use"
                    + " Deduplicators.builder(redisStore), or mode " + names.value(DedupMode.TRANSACTIONAL));
        }
    }
}
