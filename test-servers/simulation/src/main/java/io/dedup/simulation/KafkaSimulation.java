package io.dedup.simulation;

import io.dedup.simulation.draw.Draws;
import java.util.List;

/** Kafka: the listener containers of spring-kafka on a simulated consumer. */
final class KafkaSimulation implements Simulation {
    @Override
    public Class<? extends Drawn> circumstances() {
        return Circumstances.class;
    }

    @Override
    public Drawn draw(Draws draws) {
        return Circumstances.draw(draws);
    }

    /** Runs wait for timers most of the time. */
    @Override
    public int runsAtOnce() {
        return 12;
    }

    @Override
    public Verdict run(Scenario scenario, List<String> steps) {
        return Run.of(scenario, steps);
    }
}
