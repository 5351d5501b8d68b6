package io.dedup.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.dedup.DedupStoreException;
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

    @Test
    void anExceptionOfOursIsWholeAndAnyOtherIsCapped() {
        String advice = "x".repeat(200) + ": set maxWait";
        assertThat(Printable.ofException(new DedupStoreException(advice, null)))
                .isEqualTo(DedupStoreException.class.getName() + ": " + advice);
        assertThat(Printable.ofException(new IllegalStateException(advice)))
                .isEqualTo("java.lang.IllegalStateException: \"" + "x".repeat(80) + "\"… (213 characters)");
        assertThat(Printable.ofException(new IllegalStateException())).isEqualTo("java.lang.IllegalStateException");
    }
}
