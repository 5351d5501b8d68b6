package io.dedup.simulation.share;

import io.dedup.simulation.Drawn;
import io.dedup.simulation.Scenario;
import io.dedup.simulation.Simulation;
import io.dedup.simulation.Verdict;
import io.dedup.simulation.draw.Draws;
import java.util.List;

/** Share groups of Kafka. */
public final class ShareSimulation implements Simulation {
    @Override
    public Class<? extends Drawn> circumstances() {
        return ShareCircumstances.class;
    }

    @Override
    public Drawn draw(Draws draws) {
        return ShareCircumstances.draw(draws);
    }

    /** Nothing waits. */
    @Override
    public int runsAtOnce() {
        return Math.max(1, Runtime.getRuntime().availableProcessors());
    }

    @Override
    public Verdict run(Scenario scenario, List<String> steps) {
        return ShareRun.of(scenario, steps);
    }
}
