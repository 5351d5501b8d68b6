package io.dedup.testkit.broken;

import io.dedup.DedupKey;
import io.dedup.Fingerprint;
import io.dedup.LiveLease;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.DedupStore;
import io.dedup.store.StoredRecord;
import io.dedup.store.StoredRecord.State;
import io.dedup.store.WriteResult;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;

/** Who gets a claim, and the fingerprints that may stand against it. */
final class BrokenClaims {
    private static final long ROUND_TRIP_NANOS = 100_000;

    private BrokenClaims() {}

    static List<BrokenStore> all() {
        return List.of(
                new BrokenStore("races", "check, then set", BrokenClaims::checkThenSet),
                new BrokenStore("races-of-batches", "check, then set", BrokenClaims::checkThenSet),
                new BrokenStore(
                        "claim",
                        "not mine and gone: in flight is answered as acquired",
                        Broken.answers(answer -> answer instanceof ClaimResult.InFlight
                                ? new ClaimResult.Acquired(1, 0, false, Long.MAX_VALUE)
                                : answer)),
                new BrokenStore("every-state", "find shows what is expired", s -> new ForwardingStore(s) {
                    private final Map<DedupKey, StoredRecord> done = new ConcurrentHashMap<>();

                    @Override
                    WriteResult complete(CompleteRequest request) {
                        WriteResult answer = super.complete(request);
                        super.find(request.claim().key())
                                .filter(record -> record.state() == State.DONE)
                                .ifPresent(record -> done.put(request.claim().key(), record));
                        return answer;
                    }

                    @Override
                    public Optional<StoredRecord> find(DedupKey key) {
                        return super.find(key).or(() -> Optional.ofNullable(done.get(key)));
                    }
                }),
                new BrokenStore(
                        "every-state", "find shows who is claimable as processing", s -> new ForwardingStore(s) {
                            @Override
                            public Optional<StoredRecord> find(DedupKey key) {
                                return super.find(key)
                                        .map(record -> record.state() == State.ABANDONED
                                                ? with(record, State.PROCESSING)
                                                : record);
                            }
                        }),
                new BrokenStore("fingerprints", "fingerprints are ignored", fingerprints(fingerprint -> null)),
                new BrokenStore(
                        "fingerprints",
                        "fingerprints are compared without case",
                        fingerprints(fingerprint ->
                                new Fingerprint(fingerprint.value().toLowerCase(Locale.ROOT)))),
                new BrokenStore(
                        "fingerprints",
                        "fingerprints are cut",
                        fingerprints(fingerprint -> new Fingerprint(fingerprint
                                .value()
                                .substring(0, Math.min(32, fingerprint.value().length()))))),
                new BrokenStore(
                        "fingerprints",
                        "a missing fingerprint differs from every other",
                        Broken.claims(request -> request.fingerprint() != null
                                ? request
                                : new ClaimRequest(
                                        request.key(),
                                        request.owner(),
                                        request.lease(),
                                        new Fingerprint("none"),
                                        request.fenced()))),
                new BrokenStore(
                        "fingerprints", "a claimable record keeps its old fingerprint", s -> new ForwardingStore(s) {
                            @Override
                            ClaimResult claim(ClaimRequest request) {
                                Fingerprint old = store.find(request.key())
                                        .map(StoredRecord::fingerprint)
                                        .orElse(null);
                                ClaimResult answer = super.claim(request);
                                if (old == null || !(answer instanceof ClaimResult.Acquired)) {
                                    return answer;
                                }
                                store.forget(request.key(), LiveLease.OVERRIDE);
                                return super.claim(new ClaimRequest(
                                        request.key(), request.owner(), request.lease(), old, request.fenced()));
                            }
                        }),
                new BrokenStore(
                        "fingerprints",
                        "a claimable record with another fingerprint is a conflict",
                        s -> new ForwardingStore(s) {
                            @Override
                            ClaimResult claim(ClaimRequest request) {
                                Fingerprint old = store.find(request.key())
                                        .map(StoredRecord::fingerprint)
                                        .orElse(null);
                                return old != null
                                                && request.fingerprint() != null
                                                && !old.equals(request.fingerprint())
                                        ? new ClaimResult.Conflict()
                                        : super.claim(request);
                            }
                        }));
    }

    private static DedupStore checkThenSet(DedupStore s) {
        return new ForwardingStore(s) {
            @Override
            ClaimResult claim(ClaimRequest request) {
                boolean free = store.find(request.key())
                        .filter(record -> record.state() == State.PROCESSING || record.state() == State.DONE)
                        .isEmpty();
                LockSupport.parkNanos(ROUND_TRIP_NANOS);
                ClaimResult answer = super.claim(request);
                return free && !(answer instanceof ClaimResult.Acquired)
                        ? new ClaimResult.Acquired(1, 0, false, 1)
                        : answer;
            }
        };
    }

    private static UnaryOperator<DedupStore> fingerprints(UnaryOperator<Fingerprint> change) {
        return Broken.claims(request -> new ClaimRequest(
                request.key(),
                request.owner(),
                request.lease(),
                request.fingerprint() == null ? null : change.apply(request.fingerprint()),
                request.fenced()));
    }

    private static StoredRecord with(StoredRecord record, State state) {
        return new StoredRecord(
                state,
                record.attempt(),
                record.deaths(),
                record.fencingToken(),
                record.owner(),
                record.leaseRemaining(),
                record.completedAt(),
                record.expiresAt(),
                record.fingerprint(),
                record.result());
    }
}
