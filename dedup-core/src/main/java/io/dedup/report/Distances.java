package io.dedup.report;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/**
 * How long after the first message its copies arrived, in steps of an eighth.
 *
 * @param millis how many copies arrived within each of these numbers of milliseconds, but not within the one before
 */
public record Distances(Map<Long, Long> millis) {
    private static final int STEPS_BITS = 3;
    private static final long MIN = 1L << STEPS_BITS;

    public Distances {
        millis = new TreeMap<>(millis);
    }

    /** Where a distance is counted. */
    static long step(long millis) {
        if (millis < MIN) {
            return Math.max(millis, 0);
        }
        int shift = Long.SIZE - 1 - Long.numberOfLeadingZeros(millis) - STEPS_BITS;
        return (((millis >>> shift) + 1) << shift) - 1;
    }

    /** The number of copies. */
    public long count() {
        return millis.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Within which time this fraction of the copies arrived; zero if there are none. */
    public Duration within(double fraction) {
        long wanted = (long) Math.ceil(count() * fraction);
        long seen = 0;
        for (Map.Entry<Long, Long> each : new TreeMap<>(millis).entrySet()) {
            seen += each.getValue();
            if (seen >= wanted) {
                return Duration.ofMillis(each.getKey());
            }
        }
        return Duration.ZERO;
    }

    Distances plus(Distances other) {
        Map<Long, Long> all = new TreeMap<>(millis);
        other.millis.forEach((step, count) -> all.merge(step, count, Long::sum));
        return new Distances(all);
    }
}
