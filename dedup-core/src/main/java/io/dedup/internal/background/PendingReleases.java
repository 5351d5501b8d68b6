package io.dedup.internal.background;

import io.dedup.DedupKey;
import io.dedup.DedupStoreException;
import io.dedup.internal.storecall.StoreCalls;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.WriteResult;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Releases that the store has not answered, until their leases end; those that keep a message from being charged with a death,
 * until the store answers. Bounded: beyond {@value #CAPACITY} entries, new ones are dropped. Thread-safe.
 */
final class PendingReleases {
    private static final int CAPACITY = 100_000;

    private final StoreCalls store;
    private final ReentrantLock lock;
    private final WriteQueue<PendingRelease> waiting = new WriteQueue<>(PendingRelease::claim);
    /** So that a claim needs no lock while nothing is pending. */
    private volatile boolean empty = true;

    PendingReleases(StoreCalls store, ReentrantLock lock) {
        this.store = store;
        this.lock = lock;
    }

    /** Adds the release of a message's claim. */
    void add(ReleaseRequest request, DedupPolicy policy) {
        boolean countsDeath = request.claim().owner().isAlone() && policy.maxDeaths() > 0;
        add(request, policy.lease(), countsDeath);
    }

    /** Adds the release of a claim that no death is counted for. */
    void add(ReleaseRequest request, Duration lease) {
        add(request, lease, false);
    }

    private void add(ReleaseRequest request, Duration lease, boolean countsDeath) {
        lock.lock();
        try {
            if (waiting.size() < CAPACITY) {
                waiting.add(new PendingRelease(request, System.nanoTime() + lease.toNanos(), countsDeath));
                empty = false;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Sends some releases to the store, and returns whether it answered any. */
    public boolean send() {
        List<PendingRelease> batch = next(each -> true);
        List<WriteResult> answers = send(batch);
        return !answers.stream().allMatch(WriteResult.StoreError.class::isInstance);
    }

    /**
     * Sends those releases of some messages without which the next claims of these would count deaths.
     *
     * @return why the store has not answered, by message
     */
    Map<DedupKey, DedupStoreException> sendBeforeClaims(List<ClaimRequest> claims) {
        if (empty) {
            return Map.of();
        }
        Set<DedupKey> keys = claims.stream().map(ClaimRequest::key).collect(Collectors.toSet());
        Map<DedupKey, DedupStoreException> unanswered = new HashMap<>();
        Predicate<PendingRelease> wanted = each -> each.countsDeath()
                && keys.contains(each.claim().key())
                && !unanswered.containsKey(each.claim().key());
        List<PendingRelease> batch = next(wanted);
        while (!batch.isEmpty()) { // each key once in a call: a message may have several
            List<WriteResult> answers = send(batch);
            for (int i = 0; i < answers.size(); i++) {
                if (answers.get(i) instanceof WriteResult.StoreError error) {
                    unanswered.put(batch.get(i).claim().key(), error.cause());
                }
            }
            batch = next(wanted);
        }
        return unanswered;
    }

    private List<WriteResult> send(List<PendingRelease> batch) {
        List<WriteResult> answers =
                store.release(batch.stream().map(PendingRelease::request).toList());
        lock.lock();
        try {
            for (int i = 0; i < batch.size(); i++) {
                if (answers.get(i) instanceof WriteResult.StoreError) {
                    waiting.moveToEnd(batch.get(i));
                } else {
                    boolean unused = waiting.remove(batch.get(i)); // another thread may have sent it as well
                }
            }
            empty = waiting.size() == 0;
        } finally {
            lock.unlock();
        }
        return answers;
    }

    private List<PendingRelease> next(Predicate<PendingRelease> wanted) {
        lock.lock();
        try {
            return waiting.next(WriteQueue.BATCH, wanted, PendingRelease::isPointless);
        } finally {
            lock.unlock();
        }
    }

    public int size() {
        lock.lock();
        try {
            return waiting.size();
        } finally {
            lock.unlock();
        }
    }
}
