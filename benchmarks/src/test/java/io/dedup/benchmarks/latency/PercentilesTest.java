package io.dedup.benchmarks.latency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class PercentilesTest {
    @Test
    void a_percentile_is_exact_to_three_digits() {
        Percentiles all = new Percentiles();
        Percentiles late = new Percentiles();
        for (int micros = 1; micros <= 10_000; micros++) {
            (micros <= 5_000 ? all : late).add(micros * 1_000L);
        }
        all.addAll(late);
        assertThat(all.median()).isCloseTo(5_000_000, within(5_000.0));
        assertThat(all.at(99)).isCloseTo(9_900_000, within(10_000.0));
        assertThat(all.at(99.9)).isCloseTo(9_990_000, within(10_000.0));
    }

    @Test
    void a_call_may_take_minutes() {
        Percentiles all = new Percentiles();
        all.add(1);
        all.add(600_000_000_000L);
        assertThat(all.micros()).startsWith("0 / 600,").contains(" / 600,");
    }
}
