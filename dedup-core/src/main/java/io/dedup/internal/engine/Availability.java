package io.dedup.internal.engine;

import io.dedup.internal.claim.AdmissionDecider;
import io.dedup.internal.transaction.Transactions;
import io.dedup.store.DedupStore;

/** Whether what deliveries were deferred for takes writes again. Thread-safe. */
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
        if (ofStore || !hasRecords) { // in front of a database, the store keeps nobody waiting
            store.ping();
            decider.storeAnswers();
        }
    }
}
