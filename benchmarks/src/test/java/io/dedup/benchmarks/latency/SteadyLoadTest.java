package io.dedup.benchmarks.latency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.dedup.benchmarks.subject.MessageHandling;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class SteadyLoadTest {
    private static final int PER_SECOND = 200;
    private static final Duration TIME = Duration.ofMillis(500);

    private final Seen seen = new Seen();

    @Test
    void messagesBehindASlowOneCountFromWhenTheyWereDue() throws Exception {
        Duration slow = Duration.ofMillis(300);
        AtomicBoolean first = new AtomicBoolean(true);

        run(id -> {
            if (first.getAndSet(false)) {
                LockSupport.parkNanos(slow.toNanos());
            }
            return true;
        });

        assertThat(seen.times).as("none is left out").hasSizeBetween(95, 100);
        // The slow thread's turn comes each 20 ms, so 10 or so of its messages were due in the first 200 ms of the
        // pause.
        assertThat(seen.times.stream()
                        .filter(time -> time > Duration.ofMillis(90).toNanos()))
                .hasSizeGreaterThanOrEqualTo(8);
    }

    @Test
    void aRefusedMessageIsTriedAgainAndMayTurnOutToBeDone() throws Exception {
        Set<String> ids = ConcurrentHashMap.newKeySet();

        run(id -> {
            if (ids.add(id)) {
                throw new IllegalStateException("no answer");
            }
            return false;
        });

        assertThat(seen.refused).hasValue(ids.size());
        assertThat(seen.times).hasSameSizeAs(ids);
    }

    @Test
    void aNewMessageThatIsTakenForADuplicateEndsTheLoad() {
        assertThatIllegalStateException()
                .isThrownBy(() -> run(id -> false))
                .havingCause()
                .withMessageContaining("taken for a duplicate");
    }

    private void run(MessageHandling handling) throws InterruptedException {
        long end = System.nanoTime() + TIME.toNanos();
        new SteadyLoad(handling, PER_SECOND).run(due -> due - end >= 0, seen);
    }

    private static final class Seen implements SteadyLoad.Watcher {
        private final List<Long> times = new CopyOnWriteArrayList<>();
        private final AtomicInteger refused = new AtomicInteger();

        @Override
        public void handled(long due, long end) {
            times.add(end - due);
        }

        @Override
        public void refused(long due, long at, RuntimeException cause) {
            refused.incrementAndGet();
        }
    }
}
