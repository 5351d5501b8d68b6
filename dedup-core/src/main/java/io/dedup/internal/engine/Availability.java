package io.dedup.internal.engine;

import io.dedup.internal.claim.AdmissionDecider;
import io.dedup.internal.transaction.Transactions;
import io.dedup.policy.DedupMode;
import io.dedup.store.DedupStore;

/** Checks whether the store or the database that deliveries were deferred for accepts writes again. Thread-safe. */
final class Availability {
    private final DedupStore store;
    private final boolean hasRecords;
    private final AdmissionDecider decider;
    private final Transactions transactions;

    Availability(DedupStore store, boolean hasRecords, AdmissionDecider decider, Transactions transactions) {
        this.store = store;
        this.hasRecords = hasRecords;
        this.decider = decider;
        this.transactions = transactions;
    }

    /** See {@link io.dedup.adapter.DedupAdapter#ping}. */
    void ping() {
        boolean ofStore = decider.storeWasDown();
        if (transactions.isDown() || (!ofStore && hasRecords)) {
            transactions.ping();
        }
        if (ofStore || !hasRecords) { // a front store that fails does not defer messages
            store.ping();
            decider.storeAnswers();
        }
    }

    /** See {@link io.dedup.adapter.DedupAdapter#ping(DedupMode)}. */
    void ping(DedupMode mode) {
        if (mode.isTransactional()) {
            transactions.ping();
        }
        if (mode == DedupMode.LEASED || mode == DedupMode.LEASED_TRANSACTIONAL) {
            store.ping();
            decider.storeAnswers();
        }
    }
}
