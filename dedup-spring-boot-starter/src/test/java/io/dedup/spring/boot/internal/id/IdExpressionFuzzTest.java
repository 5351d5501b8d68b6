package io.dedup.spring.boot.internal.id;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.fuzz.Fuzz;
import io.dedup.fuzz.Hostile;
import io.dedup.spring.boot.internal.text.WindowConverter;
import io.dedup.spring.boot.internal.text.YamlNames;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class IdExpressionFuzzTest {
    private static final int INPUTS = 10_000;

    private static String expression(Hostile input) {
        StringBuilder text = new StringBuilder();
        int parts = 1 + input.below(3);
        for (int i = 0; i < parts; i++) {
            text.append(i == 0 ? "" : input.oneOf(" + ", "+", " +", "  +  "));
            text.append(input.oneOf(
                    "header:",
                    "key",
                    "json:/",
                    "json:",
                    "cloudevent",
                    "coordinates",
                    "bean:",
                    "property:",
                    "keys",
                    "keys:",
                    ""));
            text.append(input.once(2) ? input.anyText() : "id");
        }
        return text.toString();
    }

    @Test
    @DisplayName("an ID expression is read, and reads the same when it is written again, or is refused in one line")
    void expressions() {
        Fuzz.check("ID expressions", INPUTS, input -> {
            String text = expression(input);
            IdExpression read;
            try {
                read = IdExpression.parse(text);
            } catch (IllegalArgumentException e) {
                Fuzz.requireLogLine(String.valueOf(e.getMessage()));
                return;
            }
            assertThat(read.parts()).isNotEmpty();
            assertThat(IdExpression.parse(text)).isEqualTo(read);
            assertThat(IdExpression.parse(read.toString()).parts()).as(text).isEqualTo(read.parts());
        });
    }

    @Test
    @DisplayName("an expression of Spring's is read or refused in one line")
    void spel() {
        Fuzz.check("SpEL expressions", INPUTS, input -> {
            String text = input.oneOf(
                            "", "value", "headers['", "T(java.lang.Runtime)", "#root.", "new java.io.File('", "@bean")
                    + input.anyText();
            try {
                SpelId unused = SpelId.of(text);
            } catch (IllegalArgumentException e) {
                Fuzz.requireLogLine(String.valueOf(e.getMessage()));
            }
        });
    }

    @Test
    @DisplayName("a window is read or refused in one line")
    void windows() {
        Fuzz.check("windows", INPUTS, input -> {
            String text = input.oneOf("", "7d", "PT", "P", "-", "forever", Long.toString(input.anyLong()))
                    + (input.once(3) ? "" : input.oneOf("d", "h", "ms", "ns", "s", input.anyText()));
            try {
                Object unused = new WindowConverter().convert(text);
            } catch (IllegalArgumentException e) {
                Fuzz.requireLogLine(String.valueOf(e.getMessage()));
            }
            String unused = YamlNames.inYaml(text);
        });
    }
}
