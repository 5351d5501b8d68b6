package io.dedup.soak.measure;

import java.util.Arrays;
import java.util.List;

/**
 * How a measure's median in the last sixth of a run differs from that in the second sixth: the first one is the warm-up, and
 * medians ignore values that are high only for a moment.
 */
public record Growth(Measure measure, double before, double after) {
    private static final int PARTS = 6;

    public static List<Growth> of(List<Sample> samples) {
        if (samples.size() < PARTS) {
            throw new IllegalArgumentException(samples.size() + " samples tell nothing: at least " + PARTS);
        }
        return Arrays.stream(Measure.values())
                .map(measure -> new Growth(measure, median(samples, measure, 1), median(samples, measure, PARTS - 1)))
                .toList();
    }

    public boolean isTooMuch() {
        return after - before > measure.allowance();
    }

    private static double median(List<Sample> samples, Measure measure, int part) {
        double[] values = samples.subList(samples.size() * part / PARTS, samples.size() * (part + 1) / PARTS).stream()
                .mapToDouble(sample -> sample.value(measure))
                .sorted()
                .toArray();
        int middle = values.length / 2;
        return values.length % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
    }
}
