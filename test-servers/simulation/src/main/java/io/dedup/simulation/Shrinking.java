package io.dedup.simulation;

import io.dedup.simulation.draw.Draws;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Looks for the smallest run that goes wrong in the same way as a given one: with the fewest events and the plainest circumstances.
 * What threads and timers decide can make a run pass by chance, so each is tried twice.
 */
final class Shrinking {
    /** More values of a number aren't tried. */
    private static final int VALUES = 8;

    private final Simulation simulation;
    private final long end;
    private final long seed;
    private final Set<String> kinds;
    private final Map<String, Integer> fixed = new HashMap<>();
    private Verdict smallest;

    private Shrinking(Simulation simulation, Verdict bad, Duration time) {
        this.simulation = simulation;
        this.end = System.nanoTime() + time.toNanos();
        this.seed = bad.scenario().seed();
        this.kinds = bad.kinds();
        this.smallest = bad;
    }

    /** Shrinks a bad run of a seed for at most about so long. */
    static Verdict shrink(Simulation simulation, Verdict bad, Duration time) {
        Shrinking shrinking = new Shrinking(simulation, bad, time);
        int before;
        do {
            before = shrinking.size();
            shrinking.events();
            shrinking.circumstances();
        } while (shrinking.size() < before && !shrinking.isOver());
        return shrinking.smallest;
    }

    private int size() {
        return smallest.happened().size() + smallest.scenario().circumstances().weight();
    }

    private boolean isOver() {
        return System.nanoTime() >= end;
    }

    /** Tries twice, because threads and timers can save a run from going wrong. */
    private boolean goesWrong(Drawn circumstances, List<String> events) {
        return Stream.of(1, 2).anyMatch(attempt -> tryOnce(circumstances, events));
    }

    private boolean tryOnce(Drawn circumstances, List<String> events) {
        if (isOver()) {
            return false;
        }
        Verdict verdict;
        try {
            verdict = simulation.run(new Scenario(seed, circumstances, events));
        } catch (RuntimeException e) {
            return false; // a combination that the application cannot have
        }
        if (verdict.kinds().stream().noneMatch(kinds::contains)) {
            return false;
        }
        smallest = verdict;
        return true;
    }

    /** Leaves out halves of the events, then quarters, and at last each one. */
    private void events() {
        for (int part = Math.max(1, smallest.happened().size() / 2); part >= 1 && !isOver(); part /= 2) {
            for (int i = smallest.happened().size() - part; i > -part && !isOver(); i -= part) {
                List<String> events = new ArrayList<>(smallest.happened());
                int from = Math.max(0, Math.min(i, events.size() - part));
                events.subList(from, Math.min(events.size(), from + part)).clear();
                goesWrong(smallest.scenario().circumstances(), events);
            }
        }
    }

    /** Draws the circumstances again with one number fixed: what is drawn is always something that an application can have. */
    private void circumstances() {
        Draws first = Draws.fixing(seed, fixed);
        Drawn unused = simulation.draw(first);
        first.bounds().forEach((name, bound) -> {
            for (int value = 0; value < Math.min(bound, VALUES); value++) {
                Map<String, Integer> more = new HashMap<>(fixed);
                more.put(name, value);
                Drawn next = simulation.draw(Draws.fixing(seed, more));
                if (next.weight() < smallest.scenario().circumstances().weight()
                        && goesWrong(next, smallest.happened())) {
                    fixed.putAll(more);
                }
            }
        });
    }
}
