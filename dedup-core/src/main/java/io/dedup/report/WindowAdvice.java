package io.dedup.report;

import io.dedup.text.DurationText;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Whether a topic's window fits the distances between its messages and their copies. */
public final class WindowAdvice {
    private static final int ENOUGH_COPIES = 1_000;
    private static final double NEARLY_ALL = 0.9999;
    private static final double CLOSE = 0.8;
    private static final int MARGIN = 4;

    private WindowAdvice() {}

    /**
     * Returns a sentence or two; null if there are too few copies to say anything, or if the window is for ever.
     *
     * @param window null for ever
     * @param hours how many hours the distances are from
     */
    public static @Nullable String of(Distances distances, @Nullable Duration window, int hours) {
        if (distances.count() < ENOUGH_COPIES || window == null) {
            return null;
        }
        Duration longest = distances.within(1);
        String seen = "99.99 % of " + distances.count() + " copies of the last " + hours + " h came within "
                + DurationText.of(distances.within(NEARLY_ALL)) + " of the first message, all within "
                + DurationText.of(longest) + "; the window is " + DurationText.of(window) + ". ";
        if (longest.toMillis() >= CLOSE * window.toMillis()) {
            return seen + "Make it longer: a copy that comes after the window takes effect again.";
        }
        Duration wanted = longest.multipliedBy(MARGIN);
        if (wanted.compareTo(window) >= 0) {
            return seen + "It fits.";
        }
        long percent = Math.max(1, Math.round(100.0 * wanted.toMillis() / window.toMillis()));
        return seen + "A window of " + DurationText.of(wanted) + ", four times the longest distance, would keep about "
                + percent
                + " % of the records. What it costs to be wrong: a copy that comes later takes effect again. Look at"
                + " days with a replay or an outage first.";
    }
}
