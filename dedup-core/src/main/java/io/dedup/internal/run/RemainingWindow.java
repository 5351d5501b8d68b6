package io.dedup.internal.run;

import io.dedup.policy.Window;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rest of a window that started before the store knows of it: with a record in a database, or with the end of a handler whose
 * success waits for the store. The store must not remember the message longer: whoever sends the ID again when the window is over
 * means a new message. Counted by this process's clock from before the window started, so it ends slightly earlier than that.
 *
 * @param since by {@link System#nanoTime()}
 */
public record RemainingWindow(Window whole, long since) {
    private static final Duration LEAST = Duration.ofMillis(1);

    /** From the longest on. A duration of fewer than 10 seconds stays in milliseconds. */
    private static final List<Duration> UNITS =
            List.of(Duration.ofDays(1), Duration.ofHours(1), Duration.ofMinutes(1), Duration.ofSeconds(1), LEAST);

    /** A second more or less of it matters to nobody. */
    private static final Duration LONG = Duration.ofSeconds(1_000);

    private static final int FOUR_DIGITS = 9_999;

    /**
     * The rest at a time by {@link System#nanoTime()}, in whole milliseconds; of a long one in whole seconds, so that what was handled
     * within a second is recorded with one call.
     *
     * @return null if the window is over
     */
    @Nullable
    public Window left(long now) {
        Duration left = durationLeft(now);
        if (left == null) {
            return whole;
        }
        Duration unit = left.compareTo(LONG) < 0 ? LEAST : Duration.ofSeconds(1);
        return left.compareTo(LEAST) < 0 ? null : Window.of(unit.multipliedBy(left.dividedBy(unit)));
    }

    /**
     * The rest for a front store. Use one time for a batch, so that equal windows stay equal.
     *
     * <p>Rounded down to a whole number of days, hours, minutes, seconds or milliseconds, the shortest of these of which
     * there are fewer than 10,000: a front store that keeps a window in few bytes has no place for milliseconds of a
     * week. In what is cut off, less than an hour of a week, a duplicate costs a query of the database.
     *
     * @return null if the window is over
     */
    @Nullable
    public Window leftInFront(long now) {
        Duration left = durationLeft(now);
        return left == null ? whole : left.compareTo(LEAST) < 0 ? null : Window.of(rounded(left));
    }

    /** Null if the window has no end. */
    private @Nullable Duration durationLeft(long now) {
        Duration duration = whole.duration();
        return duration == null ? null : duration.minusNanos(now - since);
    }

    private static Duration rounded(Duration left) {
        Duration unit = UNITS.get(0);
        for (Duration shorter : UNITS) {
            if (left.dividedBy(shorter) > FOUR_DIGITS) {
                break;
            }
            unit = shorter;
        }
        return unit.multipliedBy(left.dividedBy(unit));
    }
}
