package io.dedup.internal.claim;

import io.dedup.DedupKey;
import io.dedup.adapter.Delivery;
import io.dedup.duplicate.MessagePlace;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the copies that found their message in flight, until they are known to be duplicates. The oldest are forgotten: only
 * reports depend on it. Costs nothing while nothing is in flight twice. Thread-safe.
 */
public final class ConcurrentCopies {
    private static final int MAX_COPIES = 1_000;

    private record Copy(DedupKey key, int mark) {
        static Copy of(Delivery delivery, DedupKey key) {
            MessagePlace place = delivery.place();
            return new Copy(key, place == null ? 0 : place.mark());
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Copy, Boolean> copies = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Copy, Boolean> eldest) {
            return size() > MAX_COPIES;
        }
    };
    private volatile boolean empty = true;

    /** The delivery has found its message in flight. */
    public void met(Delivery delivery) {
        DedupKey key = delivery.key();
        if (key == null) {
            return;
        }
        Copy copy = Copy.of(delivery, key);
        lock.lock();
        try {
            copies.put(copy, true);
            empty = false;
        } finally {
            lock.unlock();
        }
    }

    /** Whether the delivery, or an earlier one of the same message, has found its message in flight. Forgets it. */
    boolean remove(Delivery delivery) {
        @Nullable DedupKey key = delivery.key();
        if (empty || key == null) {
            return false;
        }
        Copy copy = Copy.of(delivery, key);
        lock.lock();
        try {
            boolean known = copies.remove(copy) != null;
            empty = copies.isEmpty();
            return known;
        } finally {
            lock.unlock();
        }
    }
}
