package io.dedup.store.jdbc.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.fuzz.Fuzz;
import io.dedup.fuzz.Hostile;
import java.util.Arrays;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class KeyBytesFuzzTest {
    private static final int INPUTS = 20_000;
    private static final int COLUMN = 255;
    private static final Pattern IDENTIFIERS = Pattern.compile("[A-Za-z0-9_]+(\\.[A-Za-z0-9_]+)?");

    @Test
    @DisplayName(
            "T8 no two of scope and ID have the same bytes in a table, each fits its column, and is read back as it was")
    void keys() {
        Fuzz.check("keys in a table", INPUTS, input -> {
            DedupScope scope = scope(input);
            DedupKey key = scope.key(name(input));
            DedupKey other = input.once(2)
                    ? scope.key(notBlank(input.near(key.messageId())))
                    : DedupScope.of(
                                    notBlank(input.near(scope.consumer())),
                                    input.once(2) ? scope.topic() : notBlank(input.near(scope.topic())))
                            .key(key.messageId());

            assertThat(KeyFormat.PLAIN.scope(key).length).isBetween(1, COLUMN);
            assertThat(KeyFormat.PLAIN.messageId(key).length).isBetween(1, COLUMN);
            assertThat(KeyBytes.text(KeyFormat.PLAIN.scope(key))).isEqualTo(scope.text());
            assertThat(KeyBytes.text(KeyFormat.PLAIN.messageId(key))).isEqualTo(key.messageId());
            boolean sameBytes = Arrays.equals(KeyFormat.PLAIN.scope(key), KeyFormat.PLAIN.scope(other))
                    && Arrays.equals(KeyFormat.PLAIN.messageId(key), KeyFormat.PLAIN.messageId(other));
            assertThat(sameBytes).as("%s and %s", key, other).isEqualTo(key.equals(other));
            assertThat(KeyFormat.DIGEST.scope(key)).isEmpty();
            assertThat(KeyFormat.DIGEST.messageId(key)).hasSize(14);
            assertThat(Arrays.equals(KeyFormat.DIGEST.messageId(key), KeyFormat.DIGEST.messageId(other)))
                    .as("digests of %s and %s", key, other)
                    .isEqualTo(key.equals(other));
            assertThat(KeyBytes.ORDER.compare(key, other) == 0).isEqualTo(key.equals(other));
            assertThat(Integer.signum(KeyBytes.ORDER.compare(key, other)))
                    .isEqualTo(-Integer.signum(KeyBytes.ORDER.compare(other, key)));
        });
    }

    @Test
    @DisplayName("a table's name is plain identifiers, or is refused in one line")
    void tableNames() {
        Fuzz.check("table names", INPUTS, input -> {
            String text = input.oneOf("", "dedup_record", "a.b") + input.anyText();
            try {
                String sql = TableName.parse(text).sql();
                assertThat(sql).isEqualTo(text);
                assertThat(IDENTIFIERS.matcher(sql).matches()).as(sql).isTrue();
            } catch (IllegalArgumentException e) {
                Fuzz.requireLogLine(String.valueOf(e.getMessage()));
            }
        });
    }

    private static DedupScope scope(Hostile input) {
        DedupScope scope = input.once(5)
                ? DedupScope.deadLetter(name(input), name(input))
                : DedupScope.of(name(input), name(input));
        return input.once(5) ? scope.shadow() : scope;
    }

    private static String name(Hostile input) {
        return notBlank(input.text());
    }

    private static String notBlank(String text) {
        return text.isBlank() ? "blank" : text;
    }
}
