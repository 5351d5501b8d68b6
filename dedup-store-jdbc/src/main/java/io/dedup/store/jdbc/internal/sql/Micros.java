package io.dedup.store.jdbc.internal.sql;

import io.dedup.policy.Window;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

/** Times and durations in microseconds, as they are stored. */
public final class Micros {
    /** The expiry of a record that never expires. */
    public static final long NEVER = Long.MAX_VALUE;

    private Micros() {}

    public static long of(Duration duration) {
        return Math.addExact(
                Math.multiplyExact(duration.getSeconds(), 1_000_000L),
                TimeUnit.NANOSECONDS.toMicros(duration.getNano()));
    }

    public static long of(Instant instant) {
        return Math.addExact(
                Math.multiplyExact(instant.getEpochSecond(), 1_000_000L),
                TimeUnit.NANOSECONDS.toMicros(instant.getNano()));
    }

    /** The window's length, {@link #NEVER} where it has no end. */
    public static long of(Window window) {
        Duration duration = window.duration();
        return duration == null ? NEVER : of(duration);
    }

    public static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    public static Duration duration(long micros) {
        return Duration.of(micros, ChronoUnit.MICROS);
    }
}
