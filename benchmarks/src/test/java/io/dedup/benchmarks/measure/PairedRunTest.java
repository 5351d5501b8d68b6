package io.dedup.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class PairedRunTest {
    private final PairedRun run = new PairedRun(Duration.ofMillis(1), 3, Duration.ofMillis(40));

    @Test
    void counts_bytes_of_all_threads() throws InterruptedException {
        byte[][] sink = new byte[1][];
        Contender allocating = new Contender("allocating", 3, () -> () -> {
            sink[0] = new byte[10_000];
            LockSupport.parkNanos(100_000);
            return 1;
        });
        Outcome outcome = run.run(List.of(allocating), () -> {}, line -> {}, () -> 0);
        assertThat(outcome.of("allocating", Sample::bytesPerMessage).median()).isBetween(10_000.0, 12_000.0);
    }

    @Test
    void turns_alternate() throws InterruptedException {
        List<String> turns = new ArrayList<>();
        List<Contender> contenders = List.of(recording("a", turns), recording("b", turns));
        run.run(contenders, () -> {}, line -> {}, () -> 0);
        assertThat(turns).containsExactly("a", "b", "a", "b", "b", "a", "a", "b");
    }

    @Test
    void a_worker_that_fails_fails_the_run() {
        Contender failing = new Contender("failing", 2, () -> () -> {
            throw new IllegalStateException("wrong answer");
        });
        assertThatThrownBy(() -> run.run(List.of(failing), () -> {}, line -> {}, () -> 0))
                .hasRootCauseMessage("wrong answer");
    }

    private static Contender recording(String name, List<String> turns) {
        return new Contender(name, 1, () -> {
            turns.add(name);
            return () -> {
                LockSupport.parkNanos(1_000_000);
                return 1;
            };
        });
    }
}
