package io.dedup.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.rules.Rooms;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SimulationTest {
    private static final Simulation KAFKA = Simulation.of("kafka");
    private static final Simulation ROCKETMQ = Simulation.of("rocketmq");
    private static final Simulation SHARE = Simulation.of("share");

    /** A machine that is too busy for so many within the time takes longer. */
    private static final int LEAST_RUNS = 20;

    /** A failure names its seeds; the command of docs/simulation.md prints the time line of one. */
    @Test
    void freshSeedsLoseAndDoubleNothing() throws InterruptedException {
        long first = System.nanoTime();
        Hunt hunt = Hunt.run(KAFKA, Duration.ofSeconds(20), LEAST_RUNS, first);
        System.out.println("simulation: first seed " + first + ", " + hunt.report());
        assertThat(hunt.isClean())
                .as(() -> hunt.report() + String.join("\n", hunt.shrunk()))
                .isTrue();
        assertThat(hunt.runs()).isGreaterThanOrEqualTo(LEAST_RUNS);
    }

    @Test
    void freshSeedsOfRocketMqLoseAndDoubleNothing() throws InterruptedException {
        long first = System.nanoTime();
        Hunt hunt = Hunt.run(ROCKETMQ, Duration.ofSeconds(5), LEAST_RUNS, first);
        System.out.println("simulation of RocketMQ: first seed " + first + ", " + hunt.report());
        assertThat(hunt.isClean())
                .as(() -> hunt.report() + String.join("\n", hunt.shrunk()))
                .isTrue();
        assertThat(hunt.runs()).isGreaterThanOrEqualTo(LEAST_RUNS);
    }

    @Test
    void freshSeedsOfShareGroupsLoseAndDoubleNothing() throws InterruptedException {
        long first = System.nanoTime();
        Hunt hunt = Hunt.run(SHARE, Duration.ofSeconds(4), LEAST_RUNS, first);
        System.out.println("simulation of share groups: first seed " + first + ", " + hunt.report());
        assertThat(hunt.isClean())
                .as(() -> hunt.report() + String.join("\n", hunt.shrunk()))
                .isTrue();
        assertThat(hunt.runs()).isGreaterThanOrEqualTo(LEAST_RUNS);
    }

    @Test
    void aSeedOfShareGroupsGivesTheSameRunAgain() {
        for (long seed = 1; seed <= 10; seed++) {
            Scenario scenario = SHARE.scenario(seed);
            assertThat(SHARE.run(scenario).steps())
                    .as("seed " + seed)
                    .isEqualTo(SHARE.run(scenario).steps());
        }
    }

    @Test
    void mendedScenariosOfShareGroupsLoseAndDoubleNothing() {
        assertThat(Hunt.bad(ScenarioText.read("share-mended.txt", SHARE), SHARE))
                .isEmpty();
    }

    /** Threads take turns as drawn, and time is simulated: nothing else may decide what happens. */
    @Test
    void aSeedOfRocketMqGivesTheSameRunAgain() {
        for (long seed = 1; seed <= 10; seed++) {
            Scenario scenario = ROCKETMQ.scenario(seed);
            assertThat(ROCKETMQ.run(scenario).steps())
                    .as("seed " + seed)
                    .isEqualTo(ROCKETMQ.run(scenario).steps());
        }
    }

    /** What was found once, and mended. */
    @Test
    void mendedScenariosLoseAndDoubleNothing() {
        assertThat(Hunt.bad(ScenarioText.read("mended.txt", KAFKA), KAFKA)).isEmpty();
    }

    @Test
    void mendedScenariosOfRocketMqLoseAndDoubleNothing() {
        assertThat(Hunt.bad(ScenarioText.read("rocketmq-mended.txt", ROCKETMQ), ROCKETMQ))
                .isEmpty();
    }

    @Test
    void openScenariosAreReadableAndNotMended() {
        assertThat(ScenarioText.read("open.txt", KAFKA))
                .doesNotContainAnyElementsOf(ScenarioText.read("mended.txt", KAFKA));
    }

    /** Not mended yet, but still to be read. */
    @Test
    void openScenariosOfRocketMqAreReadable() {
        assertThat(ScenarioText.read("rocketmq-open.txt", ROCKETMQ)).isNotEmpty();
    }

    @Test
    void packagesAreSmallAndFormNoCircle() {
        Rooms.of(Hunt.class).check();
    }
}
