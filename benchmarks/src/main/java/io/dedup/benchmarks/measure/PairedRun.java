package io.dedup.benchmarks.measure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Lets contenders take turns: all of them in every round, forwards in one and backwards in the next, so that a drift of
 * the machine favors none.
 *
 * @param warmUp how long each contender runs before the first round
 * @param rounds how many times each is measured
 * @param turn how long one measurement lasts
 */
public record PairedRun(Duration warmUp, int rounds, Duration turn) {
    /** Runs the contenders in turns, without asking a server for its processor time. */
    public Outcome run(List<Contender> contenders, Runnable beforeTurn, Consumer<String> progress)
            throws InterruptedException {
        return run(contenders, beforeTurn, progress, () -> 0);
    }

    /**
     * Runs all.
     *
     * @param beforeTurn called before each turn, outside the measured time
     * @param progress gets the progress, a line at a time
     * @param serverNanos nanoseconds on a core that the server has used so far; always 0 if unknown
     */
    public Outcome run(
            List<Contender> contenders, Runnable beforeTurn, Consumer<String> progress, LongSupplier serverNanos)
            throws InterruptedException {
        Map<String, List<Sample>> samples = new LinkedHashMap<>();
        for (Contender contender : contenders) {
            beforeTurn.run();
            Turn.run(contender, warmUp, serverNanos);
        }
        progress.accept("warm");
        List<Contender> order = new ArrayList<>(contenders);
        for (int round = 1; round <= rounds; round++) {
            for (Contender contender : order) {
                beforeTurn.run();
                Sample sample = Turn.run(contender, turn, serverNanos);
                samples.computeIfAbsent(contender.name(), name -> new ArrayList<>())
                        .add(sample);
            }
            Collections.reverse(order);
            progress.accept("round " + round + " of " + rounds);
        }
        return new Outcome(samples);
    }
}
