package io.dedup.testkit.broken;

import io.dedup.DedupKey;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.privacy.Erasure;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.DedupStore;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;

/** Erasing an ID in all scopes. */
final class BrokenErasure {
    private BrokenErasure() {}

    static List<BrokenStore> all() {
        return List.of(
                new BrokenStore("erase", "erase takes live leases", s -> new ForwardingStore(s) {
                    @Override
                    public Erasure erase(String storedId, LiveLease liveLease) {
                        return super.erase(storedId, LiveLease.OVERRIDE);
                    }
                }),
                new BrokenStore("erase", "erase cannot be forced", s -> new ForwardingStore(s) {
                    @Override
                    public Erasure erase(String storedId, LiveLease liveLease) {
                        return super.erase(storedId, LiveLease.RESPECT);
                    }
                }),
                new BrokenStore("erase", "erase doesn't say what it kept", s -> new ForwardingStore(s) {
                    @Override
                    public Erasure erase(String storedId, LiveLease liveLease) {
                        return new Erasure(super.erase(storedId, liveLease).erased(), List.of());
                    }
                }),
                new BrokenStore("erase", "erase miscounts", s -> new ForwardingStore(s) {
                    @Override
                    public Erasure erase(String storedId, LiveLease liveLease) {
                        return super.erase(storedId, liveLease).plus(new Erasure(1, List.of()));
                    }
                }),
                which(
                        "erase leaves dead-letter handlers",
                        (key, id) -> key.messageId().equals(id) && !key.scope().isDeadLetter()),
                which(
                        "erase leaves shadow records",
                        (key, id) -> key.messageId().equals(id)
                                && !key.scope().text().startsWith("shadow!")),
                which(
                        "erase takes IDs that end alike",
                        (key, id) -> key.messageId().endsWith(id)),
                which(
                        "erase takes IDs that begin alike",
                        (key, id) -> key.messageId().startsWith(id)),
                which(
                        "erase takes IDs that are equal without case",
                        (key, id) -> key.messageId().equalsIgnoreCase(id)),
                which("erase trims", (key, id) -> key.messageId().strip().equals(id.strip())));
    }

    /** Erases these of the claimed records. */
    private static BrokenStore which(String what, BiPredicate<DedupKey, String> erased) {
        Set<DedupKey> claimed = ConcurrentHashMap.newKeySet();
        return new BrokenStore("erase", what, s -> new ForwardingStore(s) {
            @Override
            ClaimResult claim(ClaimRequest request) {
                claimed.add(request.key());
                return super.claim(request);
            }

            @Override
            public Erasure erase(String storedId, LiveLease liveLease) {
                Erasure all = new Erasure(0, List.of());
                for (DedupKey key : claimed) {
                    if (erased.test(key, storedId)) {
                        all = all.plus(forgotten(s, key, liveLease));
                    }
                }
                return all;
            }
        });
    }

    private static Erasure forgotten(DedupStore store, DedupKey key, LiveLease liveLease) {
        OperatorResult result = store.forget(key, liveLease);
        return new Erasure(
                result == OperatorResult.APPLIED ? 1 : 0,
                result == OperatorResult.LEASE_LIVE ? List.of(key.scope().text()) : List.of());
    }
}
