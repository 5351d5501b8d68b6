package io.dedup.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.rules.Rooms;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SimulationTest {
    private static final Simulation KAFKA = Simulation.of("kafka");

    /** A failure names its seeds; the command of docs/simulation.md prints the time line of one. */
    @Test
    void freshSeedsLoseAndDoubleNothing() throws InterruptedException {
        long first = System.nanoTime();
        Hunt hunt = Hunt.run(KAFKA, Duration.ofSeconds(20), first);
        System.out.println("simulation: first seed " + first + ", " + hunt.report());
        assertThat(hunt.isClean())
                .as(() -> hunt.report() + String.join("\n", hunt.shrunk()))
                .isTrue();
        assertThat(hunt.runs()).as("runs in 20 s").isGreaterThan(20);
    }

    /** What was found once, and mended. */
    @Test
    void mendedScenariosLoseAndDoubleNothing() {
        assertThat(Hunt.bad(ScenarioText.read("mended.txt", KAFKA), KAFKA)).isEmpty();
    }

    @Test
    void openScenariosAreReadableAndNotMended() {
        assertThat(ScenarioText.read("open.txt", KAFKA))
                .doesNotContainAnyElementsOf(ScenarioText.read("mended.txt", KAFKA));
    }

    @Test
    void packagesAreSmallAndFormNoCircle() {
        Rooms.of(Hunt.class).check();
    }
}
