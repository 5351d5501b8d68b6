package io.dedup.store.jdbc.internal.purge;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PurgePaceTest {
    private static final int FULL = 1_000;
    private static final Duration QUICK = Duration.ofMillis(40);

    private final PurgePace pace = new PurgePace(FULL);

    /** A batch of the size that the pace wants, on a database that is so many times slower than when it is quick. */
    private Duration batch(double slower) {
        int size = pace.batch();
        return pace.restAfter(size, Duration.ofNanos((long) (QUICK.toNanos() * slower * size / FULL)));
    }

    @Test
    @DisplayName("a purge works a quarter of the time as long as batches are equally quick")
    void quarter() {
        for (int i = 0; i < 100; i++) {
            assertThat(pace.batch()).isEqualTo(FULL);
            assertThat(batch(1)).isEqualTo(QUICK.multipliedBy(3));
        }
    }

    @Test
    @DisplayName("a batch that takes a little longer than others isn't taken for load")
    void noise() {
        batch(1);
        for (int i = 0; i < 100; i++) {
            assertThat(batch(i % 2 == 0 ? 2 : 1)).isLessThanOrEqualTo(QUICK.multipliedBy(6));
            assertThat(pace.batch()).isEqualTo(FULL);
        }
    }

    @Test
    @DisplayName("short batches may take some milliseconds longer: a round trip more isn't load")
    void shortBatches() {
        PurgePace tiny = new PurgePace(10);
        tiny.restAfter(10, Duration.ofMillis(1));
        assertThat(tiny.restAfter(10, Duration.ofMillis(6))).isEqualTo(Duration.ofMillis(18));
        assertThat(tiny.batch()).isEqualTo(10);
        tiny.restAfter(10, Duration.ofMillis(8));
        assertThat(tiny.batch()).isEqualTo(5);
    }

    @Test
    @DisplayName("under load batches get smaller and rests longer, step by step, up to a bound")
    void load() {
        batch(1);
        Duration slow = QUICK.multipliedBy(5);

        assertThat(batch(5)).isEqualTo(slow.multipliedBy(6));
        assertThat(pace.batch()).isEqualTo(500);
        assertThat(batch(5)).isEqualTo(slow.dividedBy(2).multipliedBy(12));
        assertThat(pace.batch()).isEqualTo(250);
        assertThat(batch(5)).isEqualTo(slow.dividedBy(4).multipliedBy(24));
        assertThat(pace.batch()).isEqualTo(125);
        assertThat(batch(5)).isEqualTo(slow.dividedBy(8).multipliedBy(24));
        assertThat(pace.batch()).isEqualTo(125);
    }

    @Test
    @DisplayName("a rest has an end, however long a batch took")
    void longestRest() {
        batch(1);
        assertThat(batch(1_000)).isEqualTo(PurgePace.LONGEST_REST);
    }

    @Test
    @DisplayName("when batches are quick again, they grow back, step by step")
    void recovery() {
        batch(1);
        batch(5);
        batch(5);
        assertThat(pace.batch()).isEqualTo(250);

        for (int i = 0; i < PurgePace.QUICK_ONES_FOR_A_STEP_BACK; i++) {
            assertThat(pace.batch()).isEqualTo(250);
            batch(1);
        }
        for (int i = 0; i < PurgePace.QUICK_ONES_FOR_A_STEP_BACK; i++) {
            assertThat(pace.batch()).isEqualTo(500);
            batch(1);
        }
        assertThat(pace.batch()).isEqualTo(FULL);
        assertThat(batch(1)).isEqualTo(QUICK.multipliedBy(3));
    }

    @Test
    @DisplayName("one slow batch among quick ones puts off the recovery")
    void relapse() {
        batch(1);
        batch(5);
        for (int i = 1; i < PurgePace.QUICK_ONES_FOR_A_STEP_BACK; i++) {
            batch(1);
        }
        batch(5);
        batch(1);
        assertThat(pace.batch()).isEqualTo(250);
    }

    @Test
    @DisplayName("a database that has become slower for good isn't taken for busy for ever")
    void forgets() {
        batch(1);
        for (int i = 0; i < 200; i++) {
            batch(4);
        }
        assertThat(pace.batch()).isEqualTo(FULL);
    }

    @Test
    @DisplayName("a batch has a record at least")
    void one() {
        PurgePace single = new PurgePace(1);
        single.restAfter(1, Duration.ofMillis(1));
        single.restAfter(1, Duration.ofSeconds(1));
        assertThat(single.batch()).isEqualTo(1);
    }
}
