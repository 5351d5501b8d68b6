package io.dedup.internal.storecall;

import io.dedup.DedupKey;
import io.dedup.internal.storecall.WaitingRequest.State;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Decides how many calls of the store go at once, who waits, and who makes the next call.
 *
 * <p>Few requests share too little to make up for the wait: up to a limit, each is sent alone and at once. If there are more, only
 * a few calls go at once, so that each has many requests, while client, network and server still work at the same time. A thread
 * whose call has ended never makes one for others, because its message must not wait for theirs: it hands its lane to the request
 * that has waited longest, whose thread takes along what waits by then.
 *
 * <p>While the store fails, nobody waits. Thread-safe.
 */
final class CallLanes {
    /** How many requests share a call, so that it stays short. */
    static final int MAX_REQUESTS = 100;

    /**
     * After how many requests in a row that met few others calls aren't shared any more. One lull is no reason: the threads whose
     * call has just ended aren't there for a moment, and all of them would then call at once.
     */
    private static final int CALM = 100;

    private final SharedCalls.Limits limits;
    private final ReentrantLock lock = new ReentrantLock();
    /** In the order of their arrival. */
    private final Set<WaitingRequest<?, ?>> waiting = new LinkedHashSet<>();
    /** Requests that wait or are under way. */
    private int open;
    /** Calls that are under way, or whose thread is about to make them. */
    private int calls;

    /** How many requests in a row met few others; at most {@link #CALM}. */
    private int calm = CALM;

    private boolean failing;

    CallLanes(SharedCalls.Limits limits) {
        this.limits = limits;
    }

    private int most() {
        return calm < CALM ? limits.shared() : limits.alone();
    }

    /**
     * Notes a request. Its thread calls {@link #ended} later, or {@link #leave}.
     *
     * @return null if its thread makes the call now
     */
    <Q, A> @Nullable WaitingRequest<Q, A> enter(SharedOperation<Q, A> operation, Q request) {
        lock.lock();
        try {
            calm = open + 1 > limits.alone() ? 0 : Math.min(CALM, calm + 1);
            WaitingRequest<Q, A> waits = null;
            if (failing || (waiting.isEmpty() && calls < most())) {
                calls++;
            } else {
                waits = new WaitingRequest<>(operation, request);
                waiting.add(waits);
            }
            open++;
            return waits;
        } finally {
            lock.unlock();
        }
    }

    /** Takes a request back. Returns whether it was still waiting. */
    boolean leave(WaitingRequest<?, ?> request) {
        lock.lock();
        try {
            boolean left = waiting.remove(request);
            if (left) {
                open--;
            }
            return left;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes along the requests that wait for the same operation. A request whose key is there already stays for a later call: two
     * claims of one message are decided one after the other, as two calls decide them.
     *
     * <p>If this throws, nothing is taken along, and the lane is free.
     */
    <Q, A> List<WaitingRequest<Q, A>> board(WaitingRequest<Q, A> first) {
        lock.lock();
        try {
            List<WaitingRequest<Q, A>> others = waiting.isEmpty() ? List.of() : candidates(first);
            for (WaitingRequest<Q, A> other : others) { // needs no memory
                waiting.remove(other);
                other.become(State.SENT);
            }
            return others;
        } catch (Throwable e) {
            open--;
            calls--;
            throw e;
        } finally {
            lock.unlock();
        }
    }

    @SuppressWarnings("unchecked") // of the same operation
    private <Q, A> List<WaitingRequest<Q, A>> candidates(WaitingRequest<Q, A> first) {
        List<WaitingRequest<Q, A>> others = new ArrayList<>();
        Set<DedupKey> keys = new HashSet<>();
        keys.add(keyOf(first));
        for (WaitingRequest<?, ?> next : waiting) {
            if (others.size() == MAX_REQUESTS - 1) {
                break;
            }
            if (next.operation().equals(first.operation()) && keys.add(keyOf(next))) {
                others.add((WaitingRequest<Q, A>) next);
            }
        }
        return others;
    }

    private static <Q> DedupKey keyOf(WaitingRequest<Q, ?> request) {
        return request.operation().key().apply(request.request());
    }

    /**
     * A call has ended: its lane goes to the request that has waited longest.
     *
     * @param requests how many it had
     * @param answered whether the store has answered any of them
     */
    void ended(int requests, boolean answered) {
        lock.lock();
        try {
            open -= requests;
            calls--;
            failing = !answered;
        } finally {
            lock.unlock();
        }
        handOn();
    }

    /** A thread that was to make the next call doesn't. */
    void passOn() {
        lock.lock();
        try {
            open--;
            calls--;
        } finally {
            lock.unlock();
        }
        handOn();
    }

    private void handOn() {
        for (WaitingRequest<?, ?> next = next(); next != null; next = next()) {
            next.wake(); // without the lock, which it asks for first
        }
    }

    private @Nullable WaitingRequest<?, ?> next() {
        lock.lock();
        try {
            if (waiting.isEmpty() || calls >= most()) {
                return null;
            }
            Iterator<WaitingRequest<?, ?>> all = waiting.iterator();
            WaitingRequest<?, ?> next = all.next();
            all.remove();
            next.become(State.CALLS);
            calls++;
            return next;
        } finally {
            lock.unlock();
        }
    }
}
