package io.dedup.internal.background;

import io.dedup.policy.Window;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The rest of a window that started in a database, for the front store, which must not remember the message longer.
 * Counted by this process's clock from before the window started, so it ends slightly earlier than in the database.
 *
 * @param since by {@link System#nanoTime()}
 */
public record RemainingWindow(Window whole, long since) {
    private static final Duration LEAST = Duration.ofMillis(1);

    /**
     * The rest at a time by {@link System#nanoTime()}. Use one time for a batch, so that equal windows stay equal.
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
        return left.compareTo(LEAST) < 0 ? null : Window.of(left);
    }
}
