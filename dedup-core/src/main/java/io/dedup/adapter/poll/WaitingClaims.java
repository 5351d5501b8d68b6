package io.dedup.adapter.poll;

import io.dedup.DedupKey;
import io.dedup.adapter.ClaimAhead;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Claims of one consumer's records whose turn hasn't come. The consumer's thread makes and takes them; a timer returns
 * those that it doesn't take in time. Thread-safe.
 */
public final class WaitingClaims {
    /**
     * The claims of one poll. Read and changed under the lock.
     *
     * @param forgottenAt when their turns should have come, in terms of {@link System#nanoTime}
     */
    private record Polled(Map<DedupKey, ClaimAhead> unstarted, long forgottenAt) {
        boolean isForgotten() {
            return System.nanoTime() - forgottenAt >= 0;
        }
    }

    private final DedupAdapter engine;
    private final PollTimer timer;
    private final Logger log;
    private final ReentrantLock lock = new ReentrantLock();
    /** Read and written under the lock, like {@code watch}. */
    private @Nullable Polled polled;

    private @Nullable Future<?> watch;
    /** Used by the consumer's thread. */
    private boolean storeFailed;

    /**
     * Creates the one of a consumer.
     *
     * @param timer gives claims back whose turns don't come in time
     */
    public WaitingClaims(DedupAdapter engine, PollTimer timer, Logger log) {
        this.engine = engine;
        this.timer = timer;
        this.log = log;
    }

    /**
     * Claims these with one call, if no claim of an earlier poll is waiting.
     *
     * @param patience how long a claim is kept if its turn doesn't come
     */
    void claim(List<Delivery> deliveries, Duration patience) {
        if (timer.isClosed()) {
            return; // if a handler hung, nothing would return the claims
        }
        List<@Nullable ClaimAhead> claims = engine.ahead().claim(deliveries);
        if (!isKept(claims, patience)) {
            giveBack(claims);
        }
    }

    /**
     * Keeps these for their turns. Returns false if that fails, for example for lack of memory: otherwise the heartbeat
     * would renew them for maxProcessingTime.
     */
    private boolean isKept(List<@Nullable ClaimAhead> claims, Duration patience) {
        lock.lock();
        try {
            Map<DedupKey, ClaimAhead> unstarted = new HashMap<>(2 * claims.size());
            for (ClaimAhead claim : claims) {
                if (claim != null) {
                    unstarted.put(claim.key(), claim);
                    storeFailed = storeFailed || claim.isUnanswered();
                }
            }
            Polled next = new Polled(unstarted, System.nanoTime() + patience.toNanos());
            if (watch == null) {
                watch = timer.every(patience, this::giveBackForgotten);
            }
            polled = next;
            return true;
        } catch (Throwable e) { // for example, the timer was closed meanwhile
            log.debug("Cannot keep claims ahead; the records are claimed at their turns", e);
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** Whether a claim got no answer since the last {@link #storeAnswers}. */
    boolean hasStoreFailed() {
        return storeFailed;
    }

    void storeAnswers() {
        storeFailed = false;
    }

    /** The claim of a message whose turn has come; null if there is none. */
    @Nullable
    ClaimAhead take(DedupKey key) {
        lock.lock();
        try {
            return polled == null ? null : polled.unstarted().remove(key);
        } finally {
            lock.unlock();
        }
    }

    /** Returns all claims, and waits for the store's answer. Never throws. */
    void giveBack() {
        giveBack(dropped());
    }

    private List<ClaimAhead> dropped() {
        lock.lock();
        try {
            List<ClaimAhead> left =
                    polled == null ? List.of() : List.copyOf(polled.unstarted().values());
            polled = null; // last: after an Error they are still known and are returned when the consumer ends
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
        } catch (Throwable e) { // Errors too: this is called before a poll, and the consumer would stop
            log.warn(
                    "Cannot return {} claims to the deduplication store; these messages are in flight until their"
                            + " leases expire",
                    claims.size(),
                    e);
        }
    }

    /**
     * If a handler hangs, the claims behind it must be returned: otherwise the heartbeat would renew them for
     * maxProcessingTime, and no other consumer could handle these messages meanwhile.
     */
    private void giveBackForgotten() {
        lock.lock();
        try {
            if (polled == null || polled.unstarted().isEmpty()) {
                if (watch != null) {
                    watch.cancel(false);
                    watch = null;
                }
                return;
            }
            if (!polled.isForgotten()) { // of a later poll
                return;
            }
        } finally {
            lock.unlock();
        }
        giveBack(dropped());
    }
}
