package io.dedup.testkit.broken;

import io.dedup.DedupKey;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.ClaimResult.Acquired;
import io.dedup.store.StepRequest;
import io.dedup.store.StoredRecord;
import io.dedup.store.WriteResult;
import java.util.List;
import java.util.Optional;

/** What an unfinished record keeps of its handler's steps. */
final class BrokenSteps {
    private BrokenSteps() {}

    static List<BrokenStore> all() {
        return List.of(
                new BrokenStore("steps", "a step ignores its owner", s -> new ForwardingStore(s) {
                    @Override
                    WriteResult keepStep(StepRequest request) {
                        Claim claim = request.claim();
                        return s.find(claim.key())
                                .map(StoredRecord::owner)
                                .map(owner -> super.keepStep(new StepRequest(
                                        new Claim(claim.key(), owner, claim.attempt()), request.entry())))
                                .orElse(WriteResult.leaseLost());
                    }
                }),
                new BrokenStore("steps", "a step that nobody owns is applied", s -> new ForwardingStore(s) {
                    @Override
                    WriteResult keepStep(StepRequest request) {
                        WriteResult unused = super.keepStep(request);
                        return WriteResult.applied();
                    }
                }),
                new BrokenStore("steps", "a second step is dropped", s -> new ForwardingStore(s) {
                    @Override
                    WriteResult keepStep(StepRequest request) {
                        boolean known = s.find(request.claim().key())
                                .map(StoredRecord::steps)
                                .isPresent();
                        return known ? WriteResult.applied() : super.keepStep(request);
                    }
                }),
                new BrokenStore("steps", "a repeated request appends twice", s -> new ForwardingStore(s) {
                    @Override
                    WriteResult keepStep(StepRequest request) {
                        WriteResult unused = super.keepStep(request);
                        return super.keepStep(request);
                    }
                }),
                new BrokenStore("steps", "a claim returns no steps", s -> new ForwardingStore(s) {
                    @Override
                    ClaimResult claim(ClaimRequest request) {
                        ClaimResult answer = super.claim(request);
                        return answer instanceof Acquired a
                                ? new Acquired(a.attempt(), a.deaths(), a.tookOver(), a.fencingToken())
                                : answer;
                    }
                }),
                new BrokenStore("steps", "find returns no steps", s -> new ForwardingStore(s) {
                    @Override
                    public Optional<StoredRecord> find(DedupKey key) {
                        return super.find(key)
                                .map(record -> new StoredRecord(
                                        record.state(),
                                        record.attempt(),
                                        record.deaths(),
                                        record.fencingToken(),
                                        record.owner(),
                                        record.leaseRemaining(),
                                        record.completedAt(),
                                        record.expiresAt(),
                                        record.fingerprint(),
                                        record.result()));
                    }
                }));
    }
}
