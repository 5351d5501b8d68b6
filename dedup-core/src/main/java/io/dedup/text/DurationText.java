package io.dedup.text;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Writes durations as {@code 7d}, {@code 24h} or {@code 500ms}, and not as {@code PT168H}. */
public final class DurationText {
    private static final int DAYS_FROM_HOURS = 48;

    private DurationText() {}

    /**
     * The duration, in one part or in several, such as {@code 48h 1m 40s}. One day is written as {@code 24h}. What is less than a
     * millisecond is left out.
     */
    public static String of(Duration duration) {
        if (duration.isNegative()) {
            return "-" + of(duration.negated());
        }
        long hours = duration.toHours();
        boolean days = hours >= DAYS_FROM_HOURS && duration.equals(Duration.ofDays(duration.toDays()));
        List<String> parts = new ArrayList<>();
        add(parts, days ? duration.toDays() : 0, "d");
        add(parts, days ? 0 : hours, "h");
        add(parts, duration.toMinutesPart(), "m");
        add(parts, duration.toSecondsPart(), "s");
        add(parts, duration.toMillisPart(), "ms");
        return parts.isEmpty() ? "0s" : String.join(" ", parts);
    }

    private static void add(List<String> parts, long value, String unit) {
        if (value > 0) {
            parts.add(value + unit);
        }
    }
}
