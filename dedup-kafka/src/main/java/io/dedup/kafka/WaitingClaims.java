package io.dedup.kafka;

import io.dedup.DedupKey;
import io.dedup.engine.ClaimAhead;
import io.dedup.engine.DedupEngine;
import io.dedup.engine.Delivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims of one consumer's records whose turn hasn't come. A long list is claimed in two halves at once, so that the store
 * works on the second while the handlers work on the first.
 *
 * <p>Thread-safe; only the consumer's thread claims and takes. It may wait for the second half as long as for any other call
 * to the store.
 */
final class WaitingClaims {
    private static final Logger log = LoggerFactory.getLogger(KafkaDedup.class);
    /** Fewer are answered before another thread has been woken up. */
    static final int WORTH_TWO_CALLS = 100;

    private final DedupEngine engine;
    private final Executor background;
    private final Timer timer;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition answered = lock.newCondition();
    /** Read and written under the lock, and so is everything below. */
    private final Map<DedupKey, ClaimAhead> unstarted = new HashMap<>();

    private final Set<DedupKey> asked = new HashSet<>();
    private boolean asking;
    private boolean wanted;
    private boolean watched;
    private long claimedAt;
    private volatile boolean storeFailed;

    WaitingClaims(DedupEngine engine, Executor background, Timer timer) {
        this.engine = engine;
        this.background = background;
        this.timer = timer;
    }

    /**
     * Claims these, of which none is waiting.
     *
     * @param patience for how long a claim is kept whose turn doesn't come
     */
    void claim(List<Delivery> deliveries, Duration patience) {
        List<Delivery> unique = new ArrayList<>(deliveries.size());
        Set<DedupKey> keys = new HashSet<>(2 * deliveries.size());
        for (Delivery delivery : deliveries) {
            DedupKey key = delivery.key();
            if (key != null && keys.add(key)) { // a copy is decided about when its first has been
                unique.add(delivery);
            }
        }
        int half = unique.size() < WORTH_TWO_CALLS ? unique.size() : unique.size() / 2;
        List<Delivery> later = unique.subList(half, unique.size());
        if (!later.isEmpty()) {
            ask(later);
        }
        List<ClaimAhead> claims = made(unique.subList(0, half));
        if (claims.isEmpty() && !later.isEmpty()) { // one of them has killed a process: nothing is to be held beside it
            giveBack();
        }
        boolean watch;
        lock.lock();
        try {
            add(claims);
            claimedAt = System.nanoTime();
            watch = !watched && (asking || !unstarted.isEmpty());
            watched |= watch;
        } finally {
            lock.unlock();
        }
        if (watch) {
            watchFor(patience);
        }
    }

    /** Whether a claim got no answer since {@link #storeAnswers}. */
    boolean hasStoreFailed() {
        return storeFailed;
    }

    void storeAnswers() {
        storeFailed = false;
    }

    /** The claim of a message whose turn it is; null where there is none. */
    @Nullable
    ClaimAhead take(DedupKey key) {
        lock.lock();
        try {
            while (asked.contains(key)) {
                answered.awaitUninterruptibly();
            }
            return unstarted.remove(key);
        } finally {
            lock.unlock();
        }
    }

    /** Gives up what hasn't begun, and returns when the store has been told. Never throws. */
    void giveBack() {
        giveBack(dropped());
        lock.lock();
        try {
            while (asking) { // what comes now is given back by the one who asked
                answered.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    private List<ClaimAhead> dropped() {
        lock.lock();
        try {
            wanted = false;
            asked.clear();
            answered.signalAll();
            List<ClaimAhead> left = List.copyOf(unstarted.values());
            unstarted.clear();
            return left;
        } finally {
            lock.unlock();
        }
    }

    private void giveBack(List<ClaimAhead> claims) {
        if (claims.isEmpty()) {
            return;
        }
        try {
            engine.ahead().giveBack(claims);
        } catch (RuntimeException e) {
            log.warn("{} claims couldn't be given back; their leases run out", claims.size(), e);
        }
    }

    private List<ClaimAhead> made(List<Delivery> deliveries) {
        return engine.ahead().claim(deliveries).stream()
                .filter(Objects::nonNull)
                .toList();
    }

    private void ask(List<Delivery> deliveries) {
        lock.lock();
        try {
            asking = true;
            wanted = true;
            for (Delivery delivery : deliveries) {
                if (delivery.key() != null) {
                    asked.add(delivery.key());
                }
            }
        } finally {
            lock.unlock();
        }
        try {
            background.execute(() -> claimBeside(deliveries));
        } catch (RejectedExecutionException | Error e) { // closed, or there are no more threads to be had
            log.debug("Claimed at their turns", e);
            answer(List.of());
        }
    }

    private void claimBeside(List<Delivery> deliveries) {
        List<ClaimAhead> claims = List.of();
        try {
            claims = made(deliveries);
        } catch (Throwable e) {
            log.warn("A part of a poll couldn't be claimed ahead; its records are claimed one by one", e);
        } finally {
            answer(claims);
        }
    }

    private void answer(List<ClaimAhead> claims) {
        try {
            if (!isTaken(claims)) {
                giveBack(claims);
            }
        } finally {
            lock.lock();
            try {
                asking = false;
                asked.clear();
                answered.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Whether anybody still waits for these. */
    private boolean isTaken(List<ClaimAhead> claims) {
        lock.lock();
        try {
            if (wanted) {
                add(claims);
            }
            return wanted;
        } finally {
            lock.unlock();
        }
    }

    private void add(List<ClaimAhead> claims) {
        for (ClaimAhead claim : claims) {
            unstarted.put(claim.key(), claim);
            if (claim.isUnanswered()) {
                storeFailed = true;
            }
        }
    }

    /** A handler that hangs must not keep from others what the heartbeat would renew for ever. */
    private void watchFor(Duration patience) {
        boolean unused = timer.after(patience, () -> {
            lock.lock();
            try {
                if (unstarted.isEmpty() && !asking) {
                    watched = false;
                    return;
                }
                if (System.nanoTime() - claimedAt < patience.toNanos()) { // of a later poll
                    watchFor(patience);
                    return;
                }
                watched = false;
            } finally {
                lock.unlock();
            }
            giveBack(dropped());
        });
    }
}
