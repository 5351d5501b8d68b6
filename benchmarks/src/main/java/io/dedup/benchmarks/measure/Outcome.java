package io.dedup.benchmarks.measure;

import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/** The samples of a paired run, by contender and round. */
public record Outcome(Map<String, List<Sample>> samples) {
    public Outcome {
        samples = Map.copyOf(samples);
    }

    public boolean has(String contender) {
        return samples.containsKey(contender);
    }

    public Spread of(String contender, ToDoubleFunction<Sample> value) {
        return Spread.of(rounds(contender).stream().mapToDouble(value));
    }

    /** How many times as many messages per second as another, each round compared with itself. */
    public Spread ratio(String contender, String to) {
        List<Sample> mine = rounds(contender);
        List<Sample> theirs = rounds(to);
        return Spread.of(IntStream.range(0, mine.size())
                .mapToDouble(
                        i -> mine.get(i).messagesPerSecond() / theirs.get(i).messagesPerSecond()));
    }

    /** How much more than another, each round compared with itself. */
    public Spread difference(String contender, String to, ToDoubleFunction<Sample> value) {
        List<Sample> mine = rounds(contender);
        List<Sample> theirs = rounds(to);
        return Spread.of(IntStream.range(0, mine.size())
                .mapToDouble(i -> value.applyAsDouble(mine.get(i)) - value.applyAsDouble(theirs.get(i))));
    }

    private List<Sample> rounds(String contender) {
        List<Sample> rounds = samples.get(contender);
        if (rounds == null) {
            throw new IllegalArgumentException("not measured: " + contender);
        }
        return rounds;
    }
}
