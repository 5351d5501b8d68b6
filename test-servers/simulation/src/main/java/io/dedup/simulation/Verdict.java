package io.dedup.simulation;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a run has shown.
 *
 * @param lost messages that never took effect although nobody gave them up
 * @param doubled messages that took effect more than once, and how often
 * @param claimsLeft messages whose claims are live although all processes were closed
 * @param stuck whether the run didn't end although the faults had
 * @param wrongStart why the container's start was wrong: refused although it is supported, or not refused; null if it was right
 * @param happened the events of the run
 * @param steps the time line
 */
public record Verdict(
        Scenario scenario,
        Set<String> lost,
        Map<String, Integer> doubled,
        Set<String> claimsLeft,
        boolean stuck,
        @Nullable String wrongStart,
        List<String> happened,
        List<String> steps) {

    public boolean isBad() {
        return !kinds().isEmpty();
    }

    /** The kinds of what went wrong: a shrunk run has to show one of the same. */
    Set<String> kinds() {
        Set<String> kinds = new TreeSet<>();
        if (!lost.isEmpty()) {
            kinds.add("lost");
        }
        if (!doubled.isEmpty()) {
            kinds.add("doubled");
        }
        if (!claimsLeft.isEmpty()) {
            kinds.add("claims left");
        }
        if (stuck) {
            kinds.add("stuck");
        }
        if (wrongStart != null) {
            kinds.add("start");
        }
        return kinds;
    }

    String line() {
        return "seed " + scenario.seed() + ": " + outcome() + " " + scenario.circumstances();
    }

    String outcome() {
        return "lost " + lost + ", doubled " + doubled + (claimsLeft.isEmpty() ? "" : ", claims left " + claimsLeft)
                + (stuck ? ", stuck" : "") + (wrongStart == null ? "" : ", start: " + wrongStart);
    }
}
