package io.dedup.store.jdbc.internal.postgres;

import io.dedup.DedupScope;
import io.dedup.policy.Window;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Estimates at claim time when the record will be due for the purge: after the same time as the record of the scope's
 * last completion. A good estimate saves the completion from changing an index; a bad one only costs that change.
 *
 * <p>Thread-safe. Keeps one number per scope.
 */
final class PurgeHours {
    /** More hours than any date has, but not enough to overflow. */
    private static final int FOREVER = 2_147_000_000;

    private final ConcurrentHashMap<DedupScope, Integer> hours = new ConcurrentHashMap<>();
    private final int whenUnknown;

    PurgeHours(Duration attemptRetention) {
        this.whenUnknown = rounded(attemptRetention);
    }

    /** The expected number of hours to add to the current one. */
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

    /** Whole hours, plus two: for the current hour and for the handler. */
    private static int rounded(Duration duration) {
        return Math.toIntExact(duration.plusHours(1).minusNanos(1).toHours()) + 2;
    }
}
