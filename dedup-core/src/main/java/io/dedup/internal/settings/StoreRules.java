package io.dedup.internal.settings;

import io.dedup.policy.DedupMode;
import io.dedup.policy.DedupPolicy;
import io.dedup.policy.SettingNames;
import io.dedup.store.DedupStore;
import io.dedup.store.transaction.TransactionalRecords;
import org.jspecify.annotations.Nullable;

/** What the modes need of the stores. */
public record StoreRules(DedupStore store, @Nullable TransactionalRecords transactions) {
    /** Refuses a mode that the deduplicator hasn't got the means for. */
    public void check(String where, DedupPolicy policy) {
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
                    + ": use Deduplicators.builder(jdbcStore), or mode " + names.value(DedupMode.TIERED));
        }
        if (mode == DedupMode.TIERED && sameTable) {
            throw new IllegalArgumentException(where + ": mode " + names.value(mode)
                    + " needs another store in front of the table of transactions(...): use"
                    + " Deduplicators.builder(redisStore), or mode " + names.value(DedupMode.TRANSACTIONAL));
        }
    }
}
