package io.dedup.internal.lease;

import io.dedup.DedupKey;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.LockSupport;

/**
 * The threads that wait until a run of their own process ends. Holds nothing while nobody waits. Thread-safe.
 */
final class WaitingCopies {
    private final ConcurrentMap<DedupKey, Set<Thread>> threads = new ConcurrentHashMap<>();

    /** From now on, the end of a run of one of these messages ends a {@link LockSupport#park} of the calling thread. */
    void add(Collection<DedupKey> keys) {
        Thread caller = Thread.currentThread();
        keys.forEach(key -> threads.compute(key, (same, found) -> {
            Set<Thread> waiting = found == null ? ConcurrentHashMap.newKeySet() : found;
            waiting.add(caller);
            return waiting;
        }));
    }

    /** The calling thread no longer waits for these. */
    void remove(Collection<DedupKey> keys) {
        Thread caller = Thread.currentThread();
        keys.forEach(key -> threads.computeIfPresent(key, (same, found) -> {
            found.remove(caller);
            return found.isEmpty() ? null : found;
        }));
    }

    /** Wakes those who wait for this message. Costs next to nothing while nobody waits. */
    void ended(DedupKey key) {
        Set<Thread> waiting = threads.get(key);
        if (waiting != null) {
            waiting.forEach(LockSupport::unpark);
        }
    }
}
