package io.dedup.benchmarks.measure;

import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;

/** The median of the rounds, and how far they lay apart. */
public record Spread(double median, double min, double max) {
    /** @param values at least one */
    public static Spread of(DoubleStream values) {
        List<Double> sorted = values.sorted().boxed().toList();
        int size = sorted.size();
        double median = size % 2 == 1 ? sorted.get(size / 2) : (sorted.get(size / 2 - 1) + sorted.get(size / 2)) / 2;
        return new Spread(median, sorted.get(0), sorted.get(size - 1));
    }

    /** As {@code 0.93 (0.91–0.95)}. */
    public String ratio() {
        return format("%.2f");
    }

    /** As {@code 12,345 (12,000–13,000)}. */
    public String whole() {
        return format("%,.0f");
    }

    /** The median's thousands, as {@code 12.3}. */
    public String thousands() {
        return String.format(Locale.ROOT, "%.1f", median / 1_000);
    }

    /** As {@code 0.8}. */
    public String tenths() {
        return String.format(Locale.ROOT, "%.1f", median);
    }

    private String format(String one) {
        return String.format(Locale.ROOT, one + " (" + one + "–" + one + ")", median, min, max);
    }
}
