package io.dedup.testkit.broken;

import io.dedup.DedupKey;
import io.dedup.DedupStoreException;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.DedupStore;
import io.dedup.store.ReleaseMode;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.WriteResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;

/** Lists of several requests that mean something else than each of them alone. */
final class BrokenBatches {
    private BrokenBatches() {}

    static List<BrokenStore> all() {
        return List.of(
                new BrokenStore("batches", "answers come sorted by key", claims((store, requests) -> {
                    List<ClaimRequest> sorted = new ArrayList<>(requests);
                    sorted.sort(Comparator.comparing(request -> request.key().messageId()));
                    return ForwardingStore.each(
                            sorted, request -> store.claim(List.of(request)).get(0));
                })),
                new BrokenStore("batches", "answers come in reverse", claims((store, requests) -> {
                    List<ClaimResult> answers = ForwardingStore.each(
                            requests, request -> store.claim(List.of(request)).get(0));
                    Collections.reverse(answers);
                    return answers;
                })),
                new BrokenStore(
                        "batches",
                        "only the first piece is answered",
                        claims((store, requests) -> ForwardingStore.each(
                                requests.subList(0, Math.min(500, requests.size())),
                                request -> store.claim(List.of(request)).get(0)))),
                new BrokenStore(
                        "batches",
                        "the second piece is answered with the first's answers",
                        claims((store, requests) -> {
                            List<ClaimResult> answers = ForwardingStore.each(
                                    requests,
                                    request -> store.claim(List.of(request)).get(0));
                            for (int i = 500; i < answers.size(); i++) {
                                answers.set(i, answers.get(i - 500));
                            }
                            return answers;
                        })),
                new BrokenStore("batches", "an empty batch fails", claims((store, requests) -> {
                    if (requests.isEmpty()) {
                        throw new DedupStoreException("syntax error at or near \")\"", null);
                    }
                    return ForwardingStore.each(
                            requests, request -> store.claim(List.of(request)).get(0));
                })),
                new BrokenStore("batches", "look-alikes are taken for copies", claims((store, requests) -> {
                    Map<String, ClaimResult> byId = new HashMap<>();
                    return ForwardingStore.each(
                            requests,
                            request -> byId.computeIfAbsent(
                                    request.key().messageId().toLowerCase(Locale.ROOT),
                                    id -> store.claim(List.of(request)).get(0)));
                })),
                new BrokenStore(
                        "batches",
                        "the first lease and fingerprint are everybody's",
                        claims((store, requests) -> ForwardingStore.each(
                                requests,
                                request -> store.claim(List.of(new ClaimRequest(
                                                request.key(),
                                                request.owner(),
                                                requests.get(0).lease(),
                                                requests.get(0).fingerprint(),
                                                request.fenced())))
                                        .get(0)))),
                new BrokenStore("claim", "one in flight stops the batch", claims((store, requests) -> {
                    List<ClaimResult> answers = new ArrayList<>();
                    for (ClaimRequest request : requests) {
                        boolean stopped = answers.stream().anyMatch(ClaimResult.InFlight.class::isInstance);
                        answers.add(
                                stopped
                                        ? new ClaimResult.InFlight(Duration.ZERO)
                                        : store.claim(List.of(request)).get(0));
                    }
                    return answers;
                })),
                new BrokenStore("complete", "one lost lease undoes the batch", s -> new ForwardingStore(s) {
                    @Override
                    public List<WriteResult> complete(List<CompleteRequest> requests) {
                        List<WriteResult> answers = super.complete(requests);
                        return answers.contains(WriteResult.leaseLost())
                                ? Collections.nCopies(answers.size(), WriteResult.leaseLost())
                                : answers;
                    }
                }),
                new BrokenStore("complete", "batches ignore results", s -> new ForwardingStore(s) {
                    @Override
                    public List<WriteResult> complete(List<CompleteRequest> requests) {
                        return requests.size() == 1
                                ? super.complete(requests)
                                : each(
                                        requests,
                                        r -> store.complete(List.of(
                                                        new CompleteRequest(r.claim(), r.window(), null, r.repeated())))
                                                .get(0));
                    }
                }),
                new BrokenStore("random-histories", "batches release as started", s -> new ForwardingStore(s) {
                    @Override
                    public List<WriteResult> release(List<ReleaseRequest> requests) {
                        return requests.size() == 1
                                ? super.release(requests)
                                : each(
                                        requests,
                                        r -> store.release(List.of(new ReleaseRequest(r.claim(), ReleaseMode.STARTED)))
                                                .get(0));
                    }
                }),
                new BrokenStore("random-histories", "batches renew with the first lease", s -> new ForwardingStore(s) {
                    @Override
                    public List<WriteResult> renew(List<RenewRequest> requests) {
                        return each(
                                requests,
                                r -> store.renew(List.of(new RenewRequest(
                                                r.claim(), requests.get(0).lease())))
                                        .get(0));
                    }
                }),
                new BrokenStore("races-of-batches", "batches lock in the order they come", LockingStore::new));
    }

    private interface BrokenClaim {
        List<ClaimResult> apply(DedupStore store, List<ClaimRequest> requests);
    }

    private static UnaryOperator<DedupStore> claims(BrokenClaim broken) {
        return s -> new ForwardingStore(s) {
            @Override
            public List<ClaimResult> claim(List<ClaimRequest> requests) {
                return requests.size() == 1 ? super.claim(requests) : broken.apply(store, requests);
            }
        };
    }

    /** Holds each key's lock until its batch is done, as a transaction holds its rows; a deadlock times out. */
    private static final class LockingStore extends ForwardingStore {
        private static final long BATCH_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

        private final Map<DedupKey, ReentrantLock> locks = new ConcurrentHashMap<>();

        LockingStore(DedupStore store) {
            super(store);
        }

        @Override
        public List<ClaimResult> claim(List<ClaimRequest> requests) {
            List<ReentrantLock> held = new ArrayList<>();
            try {
                for (ClaimRequest request : requests) {
                    ReentrantLock lock = locks.computeIfAbsent(request.key(), key -> new ReentrantLock());
                    if (!lock.tryLock(200, TimeUnit.MILLISECONDS)) {
                        throw new DedupStoreException("deadlock found when trying to get lock", null);
                    }
                    held.add(lock);
                    if (held.size() == requests.size() / 2) {
                        LockSupport.parkNanos(BATCH_NANOS); // else a batch may be over before another begins
                    }
                }
                return super.claim(requests);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new DedupStoreException("interrupted", e);
            } finally {
                held.forEach(ReentrantLock::unlock);
            }
        }
    }
}
