package io.dedup.spring.boot.internal.text;

import io.dedup.policy.DedupPolicy;
import io.dedup.policy.Window;
import io.dedup.text.DurationText;
import java.time.Duration;
import java.util.Locale;

/**
 * Writes settings as properties have them: durations as {@code 7d}, {@code 24h} or {@code 500ms} and not as {@code PT168H},
 * constants as {@code leased-transactional}.
 */
public final class SettingText {
    private SettingText() {}

    /** The window; {@code forever} where it has no end. */
    public static String of(Window window) {
        return window.duration() == null ? "forever" : of(window.duration());
    }

    /**
     * The duration. With one part it can be pasted into a property; otherwise it has several, such as
     * {@code 48h 1m 40s}. One day is written as {@code 24h}. What is less than a millisecond is left out.
     */
    public static String of(Duration duration) {
        return DurationText.of(duration);
    }

    /** The constant's name in kebab case. */
    public static String of(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The settings that decide about messages, such as {@code mode leased, window 7d, lease 30s, …}. */
    public static String of(DedupPolicy policy) {
        return "mode " + of(policy.mode())
                + ", window " + of(policy.window())
                + ", lease " + of(policy.lease())
                + ", max-processing-time " + of(policy.maxProcessingTime())
                + ", in-flight-wait " + of(policy.inFlightWait())
                + ", on-store-failure " + of(policy.onStoreFailure())
                + ", on-missing-id " + of(policy.onMissingId())
                + ", on-conflict " + of(policy.onConflict())
                + ", max-deaths " + policy.maxDeaths()
                + (policy.shadow() ? ", shadow" : "");
    }
}
