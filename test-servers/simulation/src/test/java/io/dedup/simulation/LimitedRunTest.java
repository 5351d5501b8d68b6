package io.dedup.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.simulation.draw.Draws;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A run that never ends, and whose threads ignore interrupts, keeps nobody from ending. */
class LimitedRunTest {
    private final AtomicBoolean over = new AtomicBoolean();

    private final Simulation endless = new Simulation() {
        @Override
        public Class<? extends Drawn> circumstances() {
            return Circumstances.class;
        }

        @Override
        public Drawn draw(Draws draws) {
            return Circumstances.draw(draws);
        }

        @Override
        public Verdict run(Scenario scenario, List<String> steps) {
            steps.add("a step");
            new Thread(LimitedRunTest.this::waitForEver, "a container").start();
            waitForEver();
            throw new IllegalStateException("over");
        }

        @Override
        public Duration limit() {
            return Duration.ofMillis(100);
        }

        @Override
        public int runsAtOnce() {
            return 2;
        }
    };

    private void waitForEver() {
        CountDownLatch never = new CountDownLatch(1);
        while (!over.get()) {
            try {
                never.await();
            } catch (InterruptedException e) {
                boolean unused = Thread.interrupted(); // as code does that doesn't know what an interrupt is for
            }
        }
    }

    @AfterEach
    void end() {
        over.set(true);
        Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("a container")
                        || (thread.getThreadGroup() != null
                                && thread.getThreadGroup().getName().startsWith("run of seed")))
                .forEach(Thread::interrupt);
    }

    @Test
    void isStuck() {
        Verdict verdict = endless.run(endless.scenario(7));

        assertThat(verdict.kinds()).containsExactly("stuck");
        assertThat(verdict.steps()).startsWith("a step").contains("run WAITING", "a container WAITING");
        assertThat(verdict.steps()).anyMatch(step -> step.contains("LimitedRunTest.waitForEver"));
    }

    @Test
    void aHuntEnds() throws InterruptedException {
        Hunt hunt = Hunt.run(endless, Duration.ofMillis(500), 0, 1);

        assertThat(hunt.isClean()).isFalse();
        assertThat(hunt.runs()).isPositive();
    }

    @Test
    void shrinkingEnds() {
        Verdict bad = endless.run(endless.scenario(7));

        assertThat(Shrinking.shrink(endless, bad, Duration.ofMillis(1)).kinds()).containsExactly("stuck");
    }
}
