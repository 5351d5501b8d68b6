package io.dedup.benchmarks.latency;

import java.util.Locale;
import org.HdrHistogram.Histogram;

/** Times of single calls, to three digits. Not thread-safe. */
public final class Percentiles {
    private static final int DIGITS = 3;

    private final Histogram nanos = new Histogram(DIGITS);

    /** In nanoseconds. */
    public void add(long value) {
        nanos.recordValue(value);
    }

    void addAll(Percentiles others) {
        nanos.add(others.nanos);
    }

    /** The median in nanoseconds. */
    public double median() {
        return at(50);
    }

    /** In nanoseconds, what so many per cent of the times don't exceed. */
    public double at(double percent) {
        return nanos.getValueAtPercentile(percent);
    }

    /** Microseconds at 50, 99 and 99.9 per cent, as {@code 61 / 140 / 900}. */
    public String micros() {
        return String.format(Locale.ROOT, "%,.0f / %,.0f / %,.0f", at(50) / 1_000, at(99) / 1_000, at(99.9) / 1_000);
    }
}
