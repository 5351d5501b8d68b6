package io.dedup.internal.engine;

import io.dedup.DedupKey;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.internal.background.BackgroundWrites;
import io.dedup.internal.storecall.StoreCalls;
import io.dedup.policy.DedupMode;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.DedupStore;
import io.dedup.store.Owner;
import io.dedup.store.ReleaseMode;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.WriteResult;
import io.dedup.store.transaction.TransactionalRecords;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Deletes the record of a message, wherever its mode keeps it, so that the message is handled again. Thread-safe. */
final class ForgetCommand {
    /** The lease for the calls below. If this process crashes during them, the message waits for that long. */
    private static final Duration LEASE = Duration.ofMinutes(1);

    private final DedupStore store;
    private final StoreCalls calls;
    private final BackgroundWrites background;
    private final Forgetting forgetting;
    private final @Nullable TransactionalRecords records;
    private final Supplier<Owner> owners;

    ForgetCommand(
            DedupStore store,
            StoreCalls calls,
            BackgroundWrites background,
            Forgetting forgetting,
            @Nullable TransactionalRecords records,
            Supplier<Owner> owners) {
        this.store = store;
        this.calls = calls;
        this.background = background;
        this.forgetting = forgetting;
        this.records = records;
        this.owners = owners;
    }

    /**
     * Where the records of claims and of transactions are apart, both are deleted in each mode: a consumer in another mode, such as
     * one of the version before, would read what is left.
     */
    OperatorResult run(DedupKey key, DedupMode mode, LiveLease liveLease) {
        TransactionalRecords apart = records == null || records.holdsClaimsOf(store) ? null : records;
        if (records == null || mode == DedupMode.LEASED || mode == DedupMode.LEASED_TRANSACTIONAL) {
            return forgetting.run(
                    key::equals,
                    liveLease,
                    () -> apart == null ? store.forget(key, liveLease) : forgetApart(apart, key, liveLease),
                    result -> result == OperatorResult.LEASE_LIVE ? none -> false : key::equals);
        }
        return apart == null ? records.forget(key, liveLease) : forgetApart(apart, key, liveLease);
    }

    private OperatorResult forgetApart(TransactionalRecords apart, DedupKey key, LiveLease liveLease) {
        return liveLease == LiveLease.OVERRIDE ? forgetBoth(apart, key, liveLease) : forgetUnlessRunning(apart, key);
    }

    /**
     * Deletes the database record, then that of the front store: in the opposite order, the front record could be
     * restored from the database record in between. A consumer that has claimed the message in front might not find its
     * record any more and handle it as new; therefore this claims the message first. In mode LEASED as well: that consumer may be in
     * mode TIERED.
     */
    private OperatorResult forgetUnlessRunning(TransactionalRecords records, DedupKey key) {
        boolean known = store.find(key).isPresent();
        ClaimRequest request = new ClaimRequest(key, owners.get(), LEASE);
        ClaimResult answer = calls.claim(List.of(request)).get(0);
        if (answer instanceof ClaimResult.InFlight) {
            return OperatorResult.LEASE_LIVE;
        }
        if (answer instanceof ClaimResult.StoreError error) {
            background.release(release(request, 0), LEASE); // if made, the message would wait for its lease
            throw error.cause();
        }
        if (!(answer instanceof ClaimResult.Acquired acquired)) {
            return forgetBoth(records, key, LiveLease.RESPECT);
        }
        ReleaseRequest release = release(request, acquired.attempt());
        OperatorResult ofRecord;
        try {
            ofRecord = records.forget(key, LiveLease.RESPECT);
        } finally {
            if (calls.release(List.of(release)).get(0) instanceof WriteResult.StoreError) {
                background.release(release, LEASE);
            }
        }
        if (ofRecord != OperatorResult.LEASE_LIVE) {
            OperatorResult ofFront = store.forget(key, LiveLease.RESPECT);
            if (ofFront == OperatorResult.LEASE_LIVE && acquired.steps() != null) {
                // A consumer that has claimed it since finds no record, but has the steps of earlier attempts.
                return ofFront;
            }
        }
        return ofRecord == OperatorResult.ABSENT && known ? OperatorResult.APPLIED : ofRecord;
    }

    private static ReleaseRequest release(ClaimRequest request, int attempt) {
        return new ReleaseRequest(new Claim(request.key(), request.owner(), attempt), ReleaseMode.NOT_STARTED);
    }

    private OperatorResult forgetBoth(TransactionalRecords records, DedupKey key, LiveLease liveLease) {
        OperatorResult ofRecord = records.forget(key, liveLease);
        if (ofRecord == OperatorResult.LEASE_LIVE) {
            return ofRecord;
        }
        OperatorResult ofFront = store.forget(key, liveLease);
        return ofFront == OperatorResult.ABSENT ? ofRecord : ofFront;
    }
}
