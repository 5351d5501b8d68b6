package io.dedup.policy;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The deduplication window: how long a message ID is remembered after its completion.
 *
 * @param duration from 1 ms to {@link #MAX}; null means forever
 */
public record Window(@Nullable Duration duration) {
    /** The longest finite window: 100 years of 365 days. */
    public static final Duration MAX = Duration.ofDays(36_500);

    private static final Duration MIN = Duration.ofMillis(1);
    private static final Window FOREVER = new Window(null);

    public Window {
        if (duration != null && (duration.compareTo(MIN) < 0 || duration.compareTo(MAX) > 0)) {
            throw new IllegalArgumentException(
                    "window must be from 1 ms to " + MAX.toDays() + " days, or Window.forever(), but is " + duration);
        }
    }

    /**
     * Creates a window of this length, counted from completion by the store's clock.
     *
     * @throws IllegalArgumentException if it is shorter than 1 ms or longer than {@link #MAX}
     */
    public static Window of(Duration duration) {
        return new Window(Objects.requireNonNull(duration, "window"));
    }

    /** Returns a window without end: the record is never purged. */
    public static Window forever() {
        return FOREVER;
    }

    /** Whether this window has no end. */
    public boolean isForever() {
        return duration == null;
    }

    @Override
    public String toString() {
        return duration == null ? "forever" : duration.toString();
    }
}
