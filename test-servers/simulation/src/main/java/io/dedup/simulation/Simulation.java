package io.dedup.simulation;

import io.dedup.simulation.draw.Draws;
import io.dedup.simulation.threads.WovenLoader;
import java.time.Duration;
import java.util.List;

/** What can be drawn on one broker, and run. */
public interface Simulation {
    /** The container of share groups waits itself, and is woven, too. */
    String SHARE_CONTAINER = "org.springframework.kafka.listener.ShareKafkaMessageListenerContainer";

    /** The record of circumstances. */
    Class<? extends Drawn> circumstances();

    /** Draws circumstances that an application can have. */
    Drawn draw(Draws draws);

    /**
     * Runs a scenario with these circumstances.
     *
     * @param steps gets the time line as it happens
     */
    Verdict run(Scenario scenario, List<String> steps);

    /** In real time: most runs end in less than a second, also on a machine that is busy. */
    default Duration limit() {
        return Duration.ofSeconds(90);
    }

    /** Runs a scenario, which is stuck if it doesn't end within the limit. */
    default Verdict run(Scenario scenario) {
        return LimitedRun.of(this, scenario);
    }

    /** How many runs to make at a time. */
    int runsAtOnce();

    /** Draws everything from a seed. */
    default Scenario scenario(long seed) {
        return new Scenario(seed, draw(new Draws(seed, null)), null);
    }

    /** The simulation of a broker, by its name. */
    static Simulation of(String broker) {
        return switch (broker) {
            case "kafka" -> new KafkaSimulation();
            case "rocketmq" -> woven("io.dedup.simulation.rocketmq.RocketMqSimulation");
            case "share" -> woven("io.dedup.simulation.share.ShareSimulation");
            default -> throw new IllegalArgumentException("no simulation of " + broker + ": kafka, rocketmq or share");
        };
    }

    /** Its threads take turns, and its time passes by itself: the adapter, the engine and the simulated broker are woven. */
    private static Simulation woven(String name) {
        WovenLoader loader = new WovenLoader(
                List.of("io.dedup.", SHARE_CONTAINER, "org.springframework.kafka.listener.AbstractShareKafka"),
                List.of(
                        "io.dedup.simulation.threads.",
                        "io.dedup.simulation.draw.",
                        "io.dedup.simulation.Drawn",
                        "io.dedup.simulation.Scenario",
                        "io.dedup.simulation.Simulation",
                        "io.dedup.simulation.Verdict"),
                Simulation.class.getClassLoader());
        try {
            return Class.forName(name, true, loader)
                    .asSubclass(Simulation.class)
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
