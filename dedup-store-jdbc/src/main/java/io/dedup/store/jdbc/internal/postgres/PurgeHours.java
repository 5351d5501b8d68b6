package io.dedup.store.jdbc.internal.postgres;

import io.dedup.DedupScope;
import io.dedup.policy.Window;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Guesses at claim time when the record will be due for the purge: as long after now as the scope's last completion was
 * told to keep its record. A good guess spares the completion from changing an index; a bad one costs nothing but that.
 *
 * <p>Thread-safe. Keeps one number per scope.
 */
final class PurgeHours {
    /** More than any date has hours, and less than an overflow. */
    private static final int FOREVER = 2_147_000_000;

    private final ConcurrentHashMap<DedupScope, Integer> hours = new ConcurrentHashMap<>();
    private final int whenUnknown;

    PurgeHours(Duration attemptRetention) {
        this.whenUnknown = rounded(attemptRetention);
    }

    /** To be added to the present hour. */
    int expected(DedupScope scope) {
        return hours.getOrDefault(scope, whenUnknown);
    }

    void learn(DedupScope scope, Window window) {
        Duration duration = window.duration();
        Integer learnt = duration == null ? FOREVER : rounded(duration);
        if (!learnt.equals(hours.get(scope))) {
            hours.put(scope, learnt);
        }
    }

    /** Whole hours, and two more for the hour that has begun and for the handler. */
    private static int rounded(Duration duration) {
        return Math.toIntExact(duration.plusHours(1).minusNanos(1).toHours()) + 2;
    }
}
