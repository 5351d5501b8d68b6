package io.dedup.store.redis.internal.packed;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WindowCodeTest {
    @ParameterizedTest
    @CsvSource({
        "PT0.001S, 10001",
        "PT9.999S, 19999",
        "PT10S, 20010",
        "PT24H, 50001",
        "PT168H, 50007",
        "PT36H15M, 32175",
        "PT90M, 30090",
        "PT10.001S, ''",
        "PT876000H, ''"
    })
    @DisplayName("a window in the largest unit that divides it; none if no unit does")
    void codes(Duration window, String code) {
        assertThat(WindowCode.of(window.toMillis())).isEqualTo(code);
    }

    @ParameterizedTest
    @CsvSource("-1, 00000")
    @DisplayName("a window without an end")
    void forever(long window, String code) {
        assertThat(WindowCode.of(window)).isEqualTo(code);
    }
}
