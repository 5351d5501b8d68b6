package io.dedup.spring.boot.internal.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.policy.Window;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.convert.DurationStyle;

class SettingTextTest {
    @ParameterizedTest
    @CsvSource({
        "PT168H,7d",
        "PT24H,24h",
        "PT48H,2d",
        "PT25H,25h",
        "PT90M,1h 30m",
        "PT5M,5m",
        "PT30S,30s",
        "PT0.5S,500ms"
    })
    void isWrittenAsInProperties(String iso, String written) {
        Duration duration = Duration.parse(iso);
        assertThat(SettingText.of(duration)).isEqualTo(written);
        if (!written.contains(" ")) {
            assertThat(DurationStyle.detectAndParse(written)).isEqualTo(duration);
        }
    }

    @Test
    void whatIsNotAPlainDuration() {
        assertThat(SettingText.of(Duration.ZERO)).isEqualTo("0s");
        assertThat(SettingText.of(Duration.ofSeconds(-1))).isEqualTo("-1s");
        assertThat(SettingText.of(Window.forever())).isEqualTo("forever");
        assertThat(SettingText.of(Window.of(Duration.ofDays(7)))).isEqualTo("7d");
    }
}
