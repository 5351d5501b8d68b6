package io.dedup.report;

import io.dedup.DedupKey;
import io.dedup.duplicate.DuplicateDetails;
import io.dedup.duplicate.MessagePlace;
import io.dedup.text.Printable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The messages with the most copies, in bounded memory: the space-saving sketch. If it is full, a new message takes over the count
 * of one with the fewest copies, so that a message with many copies is never missed. Thread-safe.
 */
final class CopiedIds {
    static final int CAPACITY = 100;

    private final ReentrantLock lock = new ReentrantLock();
    /** The longest known first: those with the fewest copies are soon found. */
    private final Map<DedupKey, Count> counts = new LinkedHashMap<>();
    /** No message in the full sketch has fewer copies. */
    private long fewest;

    private static final class Count {
        private long copies;
        private final long takenOver;
        private DuplicateDetails last;
        private Instant lastAt;

        Count(long takenOver, DuplicateDetails last, Instant lastAt) {
            this.copies = takenOver;
            this.takenOver = takenOver;
            this.last = last;
            this.lastAt = lastAt;
        }
    }

    void add(DedupKey key, DuplicateDetails details, Instant now) {
        lock.lock();
        try {
            Count count = counts.get(key);
            if (count == null) {
                if (counts.size() == CAPACITY) {
                    evict();
                }
                count = new Count(fewest, details, now);
                counts.put(key, count);
            }
            count.copies++;
            count.last = details;
            count.lastAt = now;
        } finally {
            lock.unlock();
        }
    }

    /** Removes one with the fewest copies, and remembers how many it has. */
    private void evict() {
        if (!removeOneWithFewest()) {
            fewest = counts.values().stream()
                    .mapToLong(each -> each.copies)
                    .min()
                    .orElse(fewest);
            boolean unused = removeOneWithFewest();
        }
    }

    private boolean removeOneWithFewest() {
        for (Iterator<Count> each = counts.values().iterator(); each.hasNext(); ) {
            if (each.next().copies <= fewest) {
                each.remove();
                return true;
            }
        }
        return false;
    }

    /** Forgets what is known of this ID in all scopes. */
    void forget(String messageId) {
        lock.lock();
        try {
            counts.keySet().removeIf(key -> key.messageId().equals(messageId));
        } finally {
            lock.unlock();
        }
    }

    /** What is known of a message; null if nothing is. */
    @Nullable
    CopiedMessage find(DedupKey key) {
        lock.lock();
        try {
            Count count = counts.get(key);
            return count == null ? null : copied(key, count);
        } finally {
            lock.unlock();
        }
    }

    /** How many copies a message may have that isn't here. */
    long unlisted() {
        lock.lock();
        try {
            return fewest;
        } finally {
            lock.unlock();
        }
    }

    List<CopiedMessage> all() {
        lock.lock();
        try {
            List<CopiedMessage> all = new ArrayList<>(counts.size());
            counts.forEach((key, count) -> all.add(copied(key, count)));
            return all;
        } finally {
            lock.unlock();
        }
    }

    private static CopiedMessage copied(DedupKey key, Count count) {
        String sender = count.last.sender();
        return new CopiedMessage(
                key.scope().consumer(),
                key.scope().topic(),
                Printable.identified(key.messageId()),
                count.copies,
                count.copies - count.takenOver,
                count.last.cause().tag(),
                count.lastAt,
                text(count.last.first()),
                text(count.last.copy()),
                sender == null ? null : Printable.of(sender));
    }

    private static @Nullable String text(@Nullable MessagePlace place) {
        return place == null ? null : place.toString();
    }
}
