package io.dedup.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OutcomeTest {
    private final Outcome outcome = new Outcome(Map.of(
            "this",
                    List.of(
                            new Sample(100, 1, 500, 0, 1_000),
                            new Sample(50, 1, 250, 0, 600),
                            new Sample(300, 2, 900, 0, 6_000)),
            "that",
                    List.of(
                            new Sample(50, 1, 100, 0, 100),
                            new Sample(10, 1, 10, 0, 20),
                            new Sample(150, 1, 300, 0, 600))));

    @Test
    void compares_each_round_with_itself() {
        assertThat(outcome.ratio("this", "that")).isEqualTo(new Spread(2, 1, 5));
        assertThat(outcome.difference("this", "that", Sample::bytesPerMessage)).isEqualTo(new Spread(10, 8, 16));
    }

    @Test
    void takes_the_median_of_the_rounds() {
        assertThat(outcome.of("this", Sample::messagesPerSecond)).isEqualTo(new Spread(100, 50, 150));
        assertThat(outcome.of("this", Sample::cpuNanosPerMessage)).isEqualTo(new Spread(5, 3, 5));
        assertThat(outcome.of("that", Sample::nanosPerMessage).median()).isEqualTo(2e7);
    }

    @Test
    void writes_the_spread_down() {
        assertThat(new Spread(0.934, 0.9, 1).ratio()).isEqualTo("0.93 (0.90–1.00)");
        assertThat(new Spread(12_345.6, 1, 2e6).whole()).isEqualTo("12,346 (1–2,000,000)");
        assertThat(new Spread(12_345.6, 1, 2e6).thousands()).isEqualTo("12.3");
    }
}
