package io.dedup.testkit.broken;

import io.dedup.DedupKey;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.policy.Window;
import io.dedup.store.StoredRecord.State;
import java.util.List;

/** forget and forceDone. */
final class BrokenOperators {
    private BrokenOperators() {}

    static List<BrokenStore> all() {
        return List.of(
                new BrokenStore("operators", "forget takes live leases", s -> new ForwardingStore(s) {
                    @Override
                    public OperatorResult forget(DedupKey key, LiveLease liveLease) {
                        return super.forget(key, LiveLease.OVERRIDE);
                    }
                }),
                new BrokenStore("operators", "forget cannot be forced", s -> new ForwardingStore(s) {
                    @Override
                    public OperatorResult forget(DedupKey key, LiveLease liveLease) {
                        return super.forget(key, LiveLease.RESPECT);
                    }
                }),
                new BrokenStore("operators", "forget doesn't say what was absent", s -> new ForwardingStore(s) {
                    @Override
                    public OperatorResult forget(DedupKey key, LiveLease liveLease) {
                        OperatorResult answer = super.forget(key, liveLease);
                        return answer == OperatorResult.ABSENT ? OperatorResult.APPLIED : answer;
                    }
                }),
                new BrokenStore("operators", "forget leaves a done record", s -> new ForwardingStore(s) {
                    @Override
                    public OperatorResult forget(DedupKey key, LiveLease liveLease) {
                        return find(key)
                                        .filter(record -> record.state() == State.DONE)
                                        .isPresent()
                                ? OperatorResult.APPLIED
                                : super.forget(key, liveLease);
                    }
                }),
                new BrokenStore("operators", "forceDone takes live leases", s -> new ForwardingStore(s) {
                    @Override
                    public OperatorResult forceDone(DedupKey key, Window window, LiveLease liveLease) {
                        return super.forceDone(key, window, LiveLease.OVERRIDE);
                    }
                }),
                new BrokenStore("operators", "forceDone cannot be forced", s -> new ForwardingStore(s) {
                    @Override
                    public OperatorResult forceDone(DedupKey key, Window window, LiveLease liveLease) {
                        return super.forceDone(key, window, LiveLease.RESPECT);
                    }
                }),
                new BrokenStore("operators", "forceDone makes no new record", s -> new ForwardingStore(s) {
                    @Override
                    public OperatorResult forceDone(DedupKey key, Window window, LiveLease liveLease) {
                        return find(key).isEmpty() ? OperatorResult.ABSENT : super.forceDone(key, window, liveLease);
                    }
                }),
                new BrokenStore("operators", "forceDone leaves a done record as it is", s -> new ForwardingStore(s) {
                    @Override
                    public OperatorResult forceDone(DedupKey key, Window window, LiveLease liveLease) {
                        return find(key)
                                        .filter(record -> record.state() == State.DONE)
                                        .isPresent()
                                ? OperatorResult.APPLIED
                                : super.forceDone(key, window, liveLease);
                    }
                }),
                new BrokenStore("operators", "forceDone forgets the attempt", s -> new ForwardingStore(s) {
                    @Override
                    public OperatorResult forceDone(DedupKey key, Window window, LiveLease liveLease) {
                        if (super.forget(key, liveLease) == OperatorResult.LEASE_LIVE) {
                            return OperatorResult.LEASE_LIVE;
                        }
                        return super.forceDone(key, window, liveLease);
                    }
                }),
                new BrokenStore("operators", "forceDone is for ever", s -> new ForwardingStore(s) {
                    @Override
                    public OperatorResult forceDone(DedupKey key, Window window, LiveLease liveLease) {
                        return super.forceDone(key, Window.forever(), liveLease);
                    }
                }));
    }
}
