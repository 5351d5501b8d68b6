package io.dedup.simulation.rocketmq;

import io.dedup.simulation.Drawn;
import io.dedup.simulation.Scenario;
import io.dedup.simulation.Simulation;
import io.dedup.simulation.Verdict;
import io.dedup.simulation.draw.Draws;
import java.util.List;

/** RocketMQ's clients, and callers of a deduplicator. */
public final class RocketMqSimulation implements Simulation {
    @Override
    public Class<? extends Drawn> circumstances() {
        return RocketMqCircumstances.class;
    }

    @Override
    public Drawn draw(Draws draws) {
        return RocketMqCircumstances.draw(draws);
    }

    /** Nothing waits. */
    @Override
    public int runsAtOnce() {
        return Math.max(1, Runtime.getRuntime().availableProcessors());
    }

    @Override
    public Verdict run(Scenario scenario, List<String> steps) {
        return RocketMqRun.of(scenario, steps);
    }
}
