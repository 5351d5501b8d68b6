package io.dedup.testkit.broken;

import io.dedup.DedupKey;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.ClaimResult.Acquired;
import io.dedup.store.CompleteRequest;
import io.dedup.store.DedupStore;
import io.dedup.store.Owner;
import io.dedup.store.ReleaseMode;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.WriteResult;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

/** Attempts, deaths and tokens. */
final class BrokenCounts {
    private BrokenCounts() {}

    static List<BrokenStore> all() {
        return List.of(
                new BrokenStore("release", "the attempt isn't given back", modes(mode -> ReleaseMode.STARTED)),
                new BrokenStore("release", "the attempt is given back always", modes(mode -> ReleaseMode.NOT_STARTED)),
                new BrokenStore(
                        "release",
                        "a takeover given back charges nobody with the death",
                        modes(mode -> mode == ReleaseMode.NOT_STARTED ? ReleaseMode.CONVICTED : mode)),
                new BrokenStore(
                        "release",
                        "a conviction keeps the deaths",
                        modes(mode -> mode == ReleaseMode.CONVICTED ? ReleaseMode.STARTED : mode)),
                new BrokenStore(
                        "release",
                        "a conviction leaves the record dead",
                        modes(mode -> mode == ReleaseMode.CONVICTED ? ReleaseMode.NOT_STARTED : mode)),
                new BrokenStore(
                        "claim",
                        "deaths aren't counted",
                        Broken.acquired(a -> new Acquired(a.attempt(), 0, a.tookOver(), a.fencingToken()))),
                new BrokenStore(
                        "claim",
                        "deaths count, also of claims that weren't made alone",
                        owners(owner -> owner.isAlone() ? owner : new Owner(owner.value() + Owner.ALONE_END))),
                new BrokenStore(
                        "claim",
                        "a takeover of a claim that wasn't made alone is none",
                        Broken.acquired(a -> new Acquired(
                                a.attempt(), a.deaths(), a.tookOver() && a.deaths() > 0, a.fencingToken()))),
                new BrokenStore(
                        "release",
                        "a takeover given back always counted a death",
                        owners(owner -> owner.isAlone() ? owner : new Owner(owner.value() + Owner.ALONE_END))),
                new BrokenStore(
                        "claim",
                        "takeovers aren't told",
                        Broken.acquired(a -> new Acquired(a.attempt(), a.deaths(), false, a.fencingToken()))),
                new BrokenStore(
                        "release",
                        "whoever finds deaths took over",
                        Broken.acquired(a -> new Acquired(a.attempt(), a.deaths(), a.deaths() > 0, a.fencingToken()))),
                new BrokenStore(
                        "claim",
                        "attempts count from 0",
                        Broken.acquired(
                                a -> new Acquired(a.attempt() - 1, a.deaths(), a.tookOver(), a.fencingToken()))),
                new BrokenStore("claim", "a repeated request is told a new attempt", s -> new ForwardingStore(s) {
                    private final Map<DedupKey, Acquired> last = new ConcurrentHashMap<>();

                    @Override
                    ClaimResult claim(ClaimRequest request) {
                        ClaimResult answer = super.claim(request);
                        if (answer instanceof Acquired a && a.equals(last.put(request.key(), a))) {
                            return new Acquired(a.attempt() + 1, a.deaths(), a.tookOver(), a.fencingToken());
                        }
                        return answer;
                    }
                }),
                new BrokenStore(
                        "fencing-tokens",
                        "every token is the same",
                        Broken.acquired(a -> new Acquired(a.attempt(), a.deaths(), a.tookOver(), 1))),
                new BrokenStore(
                        "fencing-tokens",
                        "the attempt is the token",
                        Broken.acquired(a -> new Acquired(a.attempt(), a.deaths(), a.tookOver(), a.attempt()))),
                new BrokenStore(
                        "fencing-tokens",
                        "tokens in milliseconds repeat",
                        Broken.acquired(
                                a -> new Acquired(a.attempt(), a.deaths(), a.tookOver(), a.fencingToken() / 1_000))),
                new BrokenStore(
                        "fencing-tokens", "a repeated request is told a new token", s -> new ForwardingStore(s) {
                            private final AtomicLong next = new AtomicLong(1L << 60);

                            @Override
                            ClaimResult claim(ClaimRequest request) {
                                ClaimResult answer = super.claim(request);
                                return answer instanceof Acquired a
                                        ? new Acquired(a.attempt(), a.deaths(), a.tookOver(), next.incrementAndGet())
                                        : answer;
                            }
                        }),
                new BrokenStore("fencing-tokens", "forgetting starts tokens again", s -> new ForwardingStore(s) {
                    private final Map<DedupKey, Long> first = new ConcurrentHashMap<>();

                    @Override
                    ClaimResult claim(ClaimRequest request) {
                        ClaimResult answer = super.claim(request);
                        if (answer instanceof Acquired a) {
                            long base = a.attempt() == 1 && a.deaths() == 0
                                    ? first.compute(request.key(), (key, known) -> a.fencingToken())
                                    : first.getOrDefault(request.key(), a.fencingToken());
                            return new Acquired(a.attempt(), a.deaths(), a.tookOver(), a.fencingToken() - base + 1);
                        }
                        return answer;
                    }
                }));
    }

    private static UnaryOperator<DedupStore> owners(UnaryOperator<Owner> change) {
        return s -> new ForwardingStore(s) {
            @Override
            ClaimResult claim(ClaimRequest request) {
                return super.claim(new ClaimRequest(
                        request.key(),
                        change.apply(request.owner()),
                        request.lease(),
                        request.fingerprint(),
                        request.fenced()));
            }

            @Override
            WriteResult complete(CompleteRequest request) {
                return super.complete(new CompleteRequest(
                        changed(request.claim()), request.window(), request.result(), request.repeated()));
            }

            @Override
            WriteResult release(ReleaseRequest request) {
                return super.release(new ReleaseRequest(changed(request.claim()), request.mode()));
            }

            @Override
            WriteResult renew(RenewRequest request) {
                return super.renew(new RenewRequest(changed(request.claim()), request.lease()));
            }

            private Claim changed(Claim claim) {
                return new Claim(claim.key(), change.apply(claim.owner()), claim.attempt());
            }
        };
    }

    private static UnaryOperator<DedupStore> modes(UnaryOperator<ReleaseMode> change) {
        return s -> new ForwardingStore(s) {
            @Override
            WriteResult release(ReleaseRequest request) {
                return super.release(new ReleaseRequest(request.claim(), change.apply(request.mode())));
            }
        };
    }
}
