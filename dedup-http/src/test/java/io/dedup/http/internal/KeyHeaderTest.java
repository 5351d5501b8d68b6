package io.dedup.http.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeyHeaderTest {
    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "\"abc\", abc",
                "` \"abc\"\t`, abc",
                "\"a\\\"b\\\\c\", `a\"b\\c`",
                "\"abc\";v=1, abc",
                "\"a b\", `a b`",
                "abc, abc",
                "a b;c=d, `a b;c=d`",
                "8e03978e-40d5-43e8-bc93-6894a57f9324, 8e03978e-40d5-43e8-bc93-6894a57f9324",
            })
    void keys(String value, String key) {
        assertThat(KeyHeader.parse(List.of(value))).isEqualTo(new KeyHeader(key, null));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "  ",
                "\"\"",
                "\" \"",
                "\"abc",
                "\"a\"b\"",
                "\"a\\b\"",
                "\"a\\",
                "abc\"",
                "a,b",
                "a\u0001b",
                "\"a\rb\"",
                "caf\u00e9",
                "\u2028",
                "\"a\u0000\""
            })
    void noKeys(String value) {
        KeyHeader parsed = KeyHeader.parse(List.of(value));
        assertThat(parsed.key()).isNull();
        assertThat(parsed.problem()).isNotBlank();
    }

    @Test
    void lengths() {
        assertThat(KeyHeader.parse(List.of("k".repeat(255))).key()).hasSize(255);
        assertThat(KeyHeader.parse(List.of("k".repeat(256))).problem()).contains("more than 255");
        assertThat(KeyHeader.parse(List.of()).problem()).isEqualTo("is missing");
        assertThat(KeyHeader.parse(List.of("a", "a")).problem()).contains("more than once");
    }
}
