package io.dedup.simulation;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a run has shown.
 *
 * @param lost messages that never took effect although nobody gave them up
 * @param doubled messages that took effect more than once, and how often
 * @param stuck whether the run didn't end although the faults had
 * @param steps the time line
 */
record Verdict(
        long seed,
        Circumstances circumstances,
        Set<String> lost,
        Map<String, Integer> doubled,
        boolean stuck,
        List<String> steps) {

    boolean isBad() {
        return !lost.isEmpty() || !doubled.isEmpty() || stuck;
    }

    String line() {
        return "seed " + seed + ": lost " + lost + ", doubled " + doubled + (stuck ? ", stuck" : "") + " "
                + circumstances;
    }
}
