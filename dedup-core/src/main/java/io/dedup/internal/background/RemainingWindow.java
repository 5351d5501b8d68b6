package io.dedup.internal.background;

import io.dedup.policy.Window;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What is left of a window that has begun in a database, for the store in front of it, which mustn't remember for longer. By
 * this process's clock, and counted from before it began, so that it ends a little earlier than in the database.
 *
 * @param since by {@link System#nanoTime()}
 */
public record RemainingWindow(Window whole, long since) {
    private static final Duration LEAST = Duration.ofMillis(1);

    /**
     * At a time by {@link System#nanoTime()}; one time for a batch, whose windows stay the same then.
     *
     * @return null when the window is over
     */
    @Nullable
    public Window left(long now) {
        Duration duration = whole.duration();
        if (duration == null) {
            return whole;
        }
        Duration left = duration.minusNanos(now - since);
        return left.compareTo(LEAST) < 0 ? null : Window.of(left);
    }
}
