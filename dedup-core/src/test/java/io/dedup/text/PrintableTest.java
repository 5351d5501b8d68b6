package io.dedup.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PrintableTest {
    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '^',
            value = {
                "plain,^\"plain\"^",
                "^a\"b\\c^,^\"a\\\"b\\\\c\"^",
                "é😀,^\"\\u00e9\\ud83d\\ude00\"^",
                "^^,^\"\"^",
            })
    void quotesAndEscapes(String text, String expected) {
        assertThat(Printable.of(text)).isEqualTo(expected);
    }

    @Test
    void nothingThatALogCouldTakeForItsOwnGetsThrough() {
        for (char c = 0; c < 0xffff; c++) {
            boolean harmless = Printable.of("a" + c + "b").chars().allMatch(each -> each >= 0x20 && each < 0x7f);
            if (!harmless) {
                fail("U+%04x", (int) c);
            }
        }
    }

    @Test
    void theLengthIsCapped() {
        assertThat(Printable.of("x".repeat(80))).isEqualTo("\"" + "x".repeat(80) + "\"");
        assertThat(Printable.of("x".repeat(10_000))).isEqualTo("\"" + "x".repeat(80) + "\"… (10000 characters)");
        assertThat(Printable.of("\u0000".repeat(10_000))).hasSizeLessThan(600);
        assertThat(Printable.of(null)).isEqualTo("null");
    }
}
