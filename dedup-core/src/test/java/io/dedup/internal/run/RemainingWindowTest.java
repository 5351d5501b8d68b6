package io.dedup.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.policy.Window;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RemainingWindowTest {
    private final AtomicLong since = new AtomicLong(Long.MAX_VALUE - 5); // the clock of a JVM may begin anywhere

    @ParameterizedTest
    @CsvSource({
        "PT168H, PT0.0031S, PT167H59M59S, PT167H",
        "PT168H, PT0S, PT168H, PT168H",
        "PT168H, PT167H59M58.9S, PT1.1S, PT1.1S",
        "PT2H, PT0.003S, PT1H59M59S, PT1H59M59S",
        "PT2H46M40S, PT0.5S, PT2H46M39S, PT2H46M39S",
        "PT4H, PT0.5S, PT3H59M59S, PT3H59M",
        "PT16M41S, PT0.5S, PT16M40S, PT16M40S",
        "PT16M40S, PT0.0005S, PT16M39.999S, PT16M39S",
        "PT10S, PT0.0015S, PT9.998S, PT9.998S",
        "PT0.002S, PT0.0009S, PT0.001S, PT0.001S",
        "P36500D, PT1S, P36499DT23H59M59S, P36499D"
    })
    @DisplayName(
            "the rest is short of a thousandth at most; in front of a database, it is rounded down to four digits of a unit")
    void rounded(Duration whole, Duration elapsed, Duration left, Duration leftInFront) {
        RemainingWindow rest = new RemainingWindow(Window.of(whole), since.get());
        long now = since.get() + elapsed.toNanos();
        assertThat(rest.left(now)).isEqualTo(Window.of(left));
        assertThat(rest.leftInFront(now)).isEqualTo(Window.of(leftInFront));
    }

    @Test
    @DisplayName("a window that is over has no rest, and one without an end has itself")
    void ends() {
        assertThat(new RemainingWindow(Window.of(Duration.ofSeconds(1)), since.get()).left(since.get() + 999_500_000))
                .isNull();
        assertThat(new RemainingWindow(Window.forever(), since.get()).left(since.get() + 999_500_000))
                .isEqualTo(Window.forever());
    }
}
