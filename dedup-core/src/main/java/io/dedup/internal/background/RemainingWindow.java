package io.dedup.internal.background;

import io.dedup.policy.Window;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rest of a window that started in a database, for the front store, which must not remember the message longer.
 * Counted by this process's clock from before the window started, so it ends slightly earlier than in the database.
 *
 * @param since by {@link System#nanoTime()}
 */
public record RemainingWindow(Window whole, long since) {
    private static final Duration LEAST = Duration.ofMillis(1);

    /** From the longest on. A duration of fewer than 10 seconds stays in milliseconds. */
    private static final List<Duration> UNITS =
            List.of(Duration.ofDays(1), Duration.ofHours(1), Duration.ofMinutes(1), Duration.ofSeconds(1), LEAST);

    private static final int FOUR_DIGITS = 9_999;

    /**
     * The rest at a time by {@link System#nanoTime()}. Use one time for a batch, so that equal windows stay equal.
     *
     * <p>Rounded down to a whole number of days, hours, minutes, seconds or milliseconds, the shortest of these of which
     * there are fewer than 10,000: a front store that keeps a window in few bytes has no place for milliseconds of a
     * week. In what is cut off, less than an hour of a week, a duplicate costs a query of the database.
     *
     * @return null if the window is over
     */
    @Nullable
    public Window left(long now) {
        Duration duration = whole.duration();
        if (duration == null) {
            return whole;
        }
        Duration left = duration.minusNanos(now - since);
        return left.compareTo(LEAST) < 0 ? null : Window.of(rounded(left));
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
