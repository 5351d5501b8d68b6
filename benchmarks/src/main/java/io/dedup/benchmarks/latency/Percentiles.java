package io.dedup.benchmarks.latency;

import java.util.Arrays;
import java.util.Locale;

/** Times of single calls. Not thread-safe. */
public final class Percentiles {
    private long[] nanos = new long[1_024];
    private int count;

    void add(long value) {
        if (count == nanos.length) {
            nanos = Arrays.copyOf(nanos, count * 2);
        }
        nanos[count++] = value;
    }

    void addAll(Percentiles others) {
        for (int i = 0; i < others.count; i++) {
            add(others.nanos[i]);
        }
    }

    /** The median in nanoseconds. */
    double median() {
        return at(sorted(), 0.5);
    }

    /** In nanoseconds, what so large a part of the times doesn't exceed. */
    public double at(double part) {
        return at(sorted(), part);
    }

    /** Microseconds at 50, 99 and 99.9 per cent, as {@code 61 / 140 / 900}. */
    public String micros() {
        long[] sorted = sorted();
        return String.format(
                Locale.ROOT,
                "%,.0f / %,.0f / %,.0f",
                at(sorted, 0.5) / 1_000,
                at(sorted, 0.99) / 1_000,
                at(sorted, 0.999) / 1_000);
    }

    private long[] sorted() {
        long[] sorted = Arrays.copyOf(nanos, count);
        Arrays.sort(sorted);
        return sorted;
    }

    private static double at(long[] sorted, double part) {
        return sorted[(int) Math.min(sorted.length - 1L, Math.round(part * sorted.length))];
    }
}
