package io.dedup.report;

import io.dedup.DedupKey;
import io.dedup.duplicate.DuplicateDetails;
import io.dedup.duplicate.MessagePlace;
import io.dedup.text.Printable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The messages with the most copies, in bounded memory: the space-saving sketch. If it is full, a new message takes over the count
 * of the one with the fewest copies, so that a message with many copies is never missed. Thread-safe.
 */
final class CopiedIds {
    static final int CAPACITY = 100;

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<DedupKey, Count> counts = new HashMap<>();

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
                count = new Count(counts.size() < CAPACITY ? 0 : evict(), details, now);
                counts.put(key, count);
            }
            count.copies++;
            count.last = details;
            count.lastAt = now;
        } finally {
            lock.unlock();
        }
    }

    /** Removes the one with the fewest copies, and returns how many it has. */
    private long evict() {
        Map.Entry<DedupKey, Count> least = null;
        for (Map.Entry<DedupKey, Count> each : counts.entrySet()) {
            if (least == null || each.getValue().copies < least.getValue().copies) {
                least = each;
            }
        }
        if (least == null) {
            return 0;
        }
        counts.remove(least.getKey());
        return least.getValue().copies;
    }

    List<CopiedMessage> all() {
        lock.lock();
        try {
            List<CopiedMessage> all = new ArrayList<>(counts.size());
            counts.forEach((key, count) -> all.add(new CopiedMessage(
                    key.scope().consumer(),
                    key.scope().topic(),
                    Printable.of(key.messageId()),
                    count.copies,
                    count.copies - count.takenOver,
                    count.last.cause().tag(),
                    count.lastAt,
                    text(count.last.first()),
                    text(count.last.copy()))));
            return all;
        } finally {
            lock.unlock();
        }
    }

    private static @Nullable String text(@Nullable MessagePlace place) {
        return place == null ? null : place.toString();
    }
}
