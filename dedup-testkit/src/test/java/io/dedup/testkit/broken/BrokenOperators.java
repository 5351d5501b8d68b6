package io.dedup.testkit.broken;

import io.dedup.DedupKey;
import io.dedup.Window;
import io.dedup.store.OperatorResult;
import io.dedup.store.StoredRecord.State;
import java.util.List;

/** forget and forceDone. */
final class BrokenOperators {
    private BrokenOperators() {}

    static List<BrokenStore> all() {
        return List.of(
                new BrokenStore("operators", "forget takes live leases", s -> new ForwardingStore(s) {
                    @Override
                    public OperatorResult forget(DedupKey key, boolean evenIfLeaseLive) {
                        return super.forget(key, true);
                    }
                }),
                new BrokenStore("operators", "forget can't be forced", s -> new ForwardingStore(s) {
                    @Override
                    public OperatorResult forget(DedupKey key, boolean evenIfLeaseLive) {
                        return super.forget(key, false);
                    }
                }),
                new BrokenStore("operators", "forget doesn't say what was absent", s -> new ForwardingStore(s) {
                    @Override
                    public OperatorResult forget(DedupKey key, boolean evenIfLeaseLive) {
                        OperatorResult answer = super.forget(key, evenIfLeaseLive);
                        return answer == OperatorResult.ABSENT ? OperatorResult.APPLIED : answer;
                    }
                }),
                new BrokenStore("operators", "forget leaves a done record", s -> new ForwardingStore(s) {
                    @Override
                    public OperatorResult forget(DedupKey key, boolean evenIfLeaseLive) {
                        return find(key)
                                        .filter(record -> record.state() == State.DONE)
                                        .isPresent()
                                ? OperatorResult.APPLIED
                                : super.forget(key, evenIfLeaseLive);
                    }
                }),
                new BrokenStore("operators", "forceDone takes live leases", s -> new ForwardingStore(s) {
                    @Override
                    public OperatorResult forceDone(DedupKey key, Window window, boolean evenIfLeaseLive) {
                        return super.forceDone(key, window, true);
                    }
                }),
                new BrokenStore("operators", "forceDone can't be forced", s -> new ForwardingStore(s) {
                    @Override
                    public OperatorResult forceDone(DedupKey key, Window window, boolean evenIfLeaseLive) {
                        return super.forceDone(key, window, false);
                    }
                }),
                new BrokenStore("operators", "forceDone makes no new record", s -> new ForwardingStore(s) {
                    @Override
                    public OperatorResult forceDone(DedupKey key, Window window, boolean evenIfLeaseLive) {
                        return find(key).isEmpty()
                                ? OperatorResult.ABSENT
                                : super.forceDone(key, window, evenIfLeaseLive);
                    }
                }),
                new BrokenStore("operators", "forceDone leaves a done record as it is", s -> new ForwardingStore(s) {
                    @Override
                    public OperatorResult forceDone(DedupKey key, Window window, boolean evenIfLeaseLive) {
                        return find(key)
                                        .filter(record -> record.state() == State.DONE)
                                        .isPresent()
                                ? OperatorResult.APPLIED
                                : super.forceDone(key, window, evenIfLeaseLive);
                    }
                }),
                new BrokenStore("operators", "forceDone forgets the attempt", s -> new ForwardingStore(s) {
                    @Override
                    public OperatorResult forceDone(DedupKey key, Window window, boolean evenIfLeaseLive) {
                        if (super.forget(key, evenIfLeaseLive) == OperatorResult.LEASE_LIVE) {
                            return OperatorResult.LEASE_LIVE;
                        }
                        return super.forceDone(key, window, evenIfLeaseLive);
                    }
                }),
                new BrokenStore("operators", "forceDone is for ever", s -> new ForwardingStore(s) {
                    @Override
                    public OperatorResult forceDone(DedupKey key, Window window, boolean evenIfLeaseLive) {
                        return super.forceDone(key, Window.forever(), evenIfLeaseLive);
                    }
                }));
    }
}
