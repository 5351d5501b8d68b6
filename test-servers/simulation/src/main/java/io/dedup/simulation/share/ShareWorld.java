package io.dedup.simulation.share;

import io.dedup.simulation.draw.Draws;
import io.dedup.simulation.judge.Ledger;
import io.dedup.simulation.threads.Schedule;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** What all parts of one run share. Used by one simulated thread at a time. */
final class ShareWorld {
    final ShareCircumstances circumstances;
    final Draws draws;
    final Schedule schedule = Schedule.current();
    final Ledger ledger;
    private final List<String> steps;
    private final Map<String, Integer> counts = new HashMap<>();
    private final Set<String> givenUp = new HashSet<>();
    private final long begin = schedule.nanoTime();

    ShareWorld(ShareCircumstances circumstances, Draws draws, List<String> steps) {
        this.circumstances = circumstances;
        this.draws = draws;
        this.steps = steps;
        this.ledger = new Ledger(this::now, this::step, circumstances.processing());
    }

    long now() {
        return schedule.nanoTime();
    }

    void step(String step) {
        steps.add(String.format(Locale.ROOT, "%8.3f %s", (now() - begin) / 1e9, step));
    }

    List<String> steps() {
        return List.copyOf(steps);
    }

    /** The how manieth time this happens. */
    int count(String what) {
        return counts.merge(what, 1, Integer::sum);
    }

    void sleep(Duration time) {
        schedule.sleep(time);
    }

    /** The application gives this message up. */
    void givesUp(String id) {
        givenUp.add(id);
    }

    boolean isGivenUp(String id) {
        return givenUp.contains(id);
    }
}
