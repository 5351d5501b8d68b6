package io.dedup.engine;

import io.dedup.DedupKey;
import io.dedup.DedupMode;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.DedupStore;
import io.dedup.store.OperatorResult;
import io.dedup.store.ReleaseMode;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.TransactionalRecords;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** An operator's command to let a message run again, wherever its mode keeps it. Thread-safe. */
final class Forgetting {
    /** For the few calls below; when this process dies within them, the message waits for so long. */
    private static final Duration LEASE = Duration.ofMinutes(1);

    private final DedupStore store;
    private final @Nullable TransactionalRecords records;
    private final Owners owners;

    Forgetting(DedupStore store, @Nullable TransactionalRecords records, Owners owners) {
        this.store = store;
        this.records = records;
        this.owners = owners;
    }

    OperatorResult forget(DedupKey key, DedupMode mode, boolean evenIfLeaseLive) {
        if (records == null || mode == DedupMode.LEASED || mode == DedupMode.LEASED_TRANSACTIONAL) {
            return store.forget(key, evenIfLeaseLive);
        }
        if (mode == DedupMode.TRANSACTIONAL) {
            return records.forget(key, evenIfLeaseLive);
        }
        return evenIfLeaseLive ? forgetBoth(records, key, true) : forgetUnlessRunning(records, key);
    }

    /**
     * The record, then the one in front: the other way round, that could be repaired from the record in between. Nobody who has
     * claimed the message in front may be about to look for its record, or he would find none and take it for new: so it is
     * claimed before.
     */
    private OperatorResult forgetUnlessRunning(TransactionalRecords records, DedupKey key) {
        boolean known = store.find(key).isPresent();
        ClaimRequest request = new ClaimRequest(key, owners.next(), LEASE);
        ClaimResult answer = store.claim(request);
        if (answer instanceof ClaimResult.InFlight) {
            return OperatorResult.LEASE_LIVE;
        }
        if (answer instanceof ClaimResult.StoreError error) {
            throw error.cause();
        }
        if (!(answer instanceof ClaimResult.Acquired acquired)) {
            return forgetBoth(records, key, false);
        }
        OperatorResult ofRecord;
        try {
            ofRecord = records.forget(key, false);
        } finally {
            store.release(
                    new ReleaseRequest(new Claim(key, request.owner(), acquired.attempt()), ReleaseMode.NOT_STARTED));
        }
        if (ofRecord != OperatorResult.LEASE_LIVE) {
            OperatorResult unused =
                    store.forget(key, false); // who has claimed it since has found no record, and runs it again
        }
        return ofRecord == OperatorResult.ABSENT && known ? OperatorResult.APPLIED : ofRecord;
    }

    private OperatorResult forgetBoth(TransactionalRecords records, DedupKey key, boolean evenIfLeaseLive) {
        OperatorResult ofRecord = records.forget(key, evenIfLeaseLive);
        OperatorResult ofFront = store.forget(key, evenIfLeaseLive);
        return ofFront == OperatorResult.ABSENT ? ofRecord : ofFront;
    }
}
