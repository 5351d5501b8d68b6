package io.dedup.kafka.internal.claimahead;

import io.dedup.DedupKey;
import io.dedup.adapter.ClaimAhead;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.kafka.internal.KafkaLog;
import io.dedup.kafka.internal.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
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
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);
    /** Fewer are answered before another thread has been woken up. */
    static final int WORTH_TWO_CALLS = 100;

    private final DedupAdapter engine;
    private final Executor background;
    private final Timer timer;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition answered = lock.newCondition();
    /** Read and written under the lock, and so is everything below. */
    private final Map<DedupKey, ClaimAhead> unstarted = new HashMap<>();

    private final Set<DedupKey> asked = new HashSet<>();
    private boolean asking;
    private boolean wanted;
    private boolean claiming;
    private @Nullable Future<?> watch;
    private long claimedAt;
    private long patienceNanos;
    private volatile boolean storeFailed;

    WaitingClaims(DedupAdapter engine, Executor background, Timer timer) {
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
        if (!isWatched(patience)) {
            return; // nobody would give them back behind a handler that hangs: they are claimed at their turns
        }
        int half = unique.size() < WORTH_TWO_CALLS ? unique.size() : unique.size() / 2;
        List<Delivery> later = unique.subList(half, unique.size());
        try {
            if (!later.isEmpty()) {
                ask(later);
            }
            boolean any = keep(engine.ahead().claim(unique.subList(0, half)));
            if (!any && !later.isEmpty()) { // one of them has killed a process: nothing is to be held beside it
                giveBack();
            }
        } finally {
            claimed();
        }
    }

    /** Before anything is claimed; false where there is no timer. */
    private boolean isWatched(Duration patience) {
        lock.lock();
        try {
            if (timer.isClosed()) {
                return false;
            }
            if (watch == null) {
                watch = timer.every(patience, this::giveBackForgotten);
            }
            patienceNanos = patience.toNanos();
            claiming = true;
            wanted = true;
            return true;
        } catch (RejectedExecutionException e) {
            log.debug("Closed meanwhile", e);
            return false;
        } finally {
            lock.unlock();
        }
    }

    private void claimed() {
        lock.lock();
        try {
            claiming = false;
            claimedAt = System.nanoTime();
        } finally {
            lock.unlock();
        }
    }

    /** Keeps these for their turns, or gives all of them back. Whether there are any. */
    private boolean keep(List<@Nullable ClaimAhead> claims) {
        if (!isKept(claims)) {
            giveBack(claims);
            return true;
        }
        for (ClaimAhead claim : claims) {
            if (claim != null) {
                return true;
            }
        }
        return false;
    }

    /** False, with none of them kept, when nobody waits for them any more, or on an Error: the heartbeat would renew them. */
    private boolean isKept(List<@Nullable ClaimAhead> claims) {
        lock.lock();
        try {
            for (ClaimAhead claim : wanted ? claims : List.<ClaimAhead>of()) {
                if (claim != null) {
                    unstarted.put(claim.key(), claim);
                    storeFailed = storeFailed || claim.isUnanswered();
                }
            }
            return wanted;
        } catch (Throwable e) {
            for (ClaimAhead claim : claims) {
                if (claim != null) {
                    unstarted.remove(claim.key(), claim);
                }
            }
            log.debug("Claimed at their turns", e);
            return false;
        } finally {
            lock.unlock();
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

    private void giveBack(List<? extends @Nullable ClaimAhead> claims) {
        try {
            List<ClaimAhead> made = new ArrayList<>(claims.size());
            for (ClaimAhead claim : claims) {
                if (claim != null) {
                    made.add(claim);
                }
            }
            if (!made.isEmpty()) {
                engine.ahead().giveBack(made);
            }
        } catch (Throwable e) { // an Error, too: this is called where a poll begins, and its consumer would stop
            log.warn("{} claims couldn't be given back; their leases run out", claims.size(), e);
        }
    }

    private void ask(List<Delivery> deliveries) {
        Runnable claiming = () -> claimBeside(deliveries); // before the state changes: turns wait for an answer
        try {
            lock.lock();
            try {
                asking = true;
                for (Delivery delivery : deliveries) {
                    if (delivery.key() != null) {
                        asked.add(delivery.key());
                    }
                }
            } finally {
                lock.unlock();
            }
            background.execute(claiming);
        } catch (Throwable e) { // closed, or there is no memory or no thread to be had
            answer(List.of());
            log.debug("Claimed at their turns", e);
        }
    }

    private void claimBeside(List<Delivery> deliveries) {
        List<@Nullable ClaimAhead> claims = List.of();
        try {
            claims = engine.ahead().claim(deliveries);
        } catch (Throwable e) {
            log.warn("A part of a poll couldn't be claimed ahead; its records are claimed one by one", e);
        } finally {
            answer(claims);
        }
    }

    private void answer(List<@Nullable ClaimAhead> claims) {
        try {
            boolean unused = keep(claims);
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

    /** A handler that hangs must not keep from others what the heartbeat would renew for ever. */
    private void giveBackForgotten() {
        lock.lock();
        try {
            if (claiming) {
                return;
            }
            if (unstarted.isEmpty() && !asking) {
                if (watch != null) {
                    watch.cancel(false);
                    watch = null;
                }
                return;
            }
            if (System.nanoTime() - claimedAt < patienceNanos) { // of a later poll
                return;
            }
        } finally {
            lock.unlock();
        }
        giveBack(dropped());
    }
}
