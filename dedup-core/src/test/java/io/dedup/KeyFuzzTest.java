package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.fuzz.Fuzz;
import io.dedup.fuzz.Hostile;
import io.dedup.text.Utf8;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class KeyFuzzTest {
    private static final int INPUTS = 20_000;

    private enum Kind {
        MAIN,
        DEAD_LETTER,
        SHADOW,
        SHADOW_OF_DEAD_LETTER
    }

    private record Raw(String consumer, String topic, Kind kind, String id) {
        static Raw any(Hostile input) {
            return new Raw(input.anyText(), input.anyText(), input.oneOf(Kind.values()), input.anyText());
        }

        /** One that a store may take for this one. */
        Raw near(Hostile input) {
            return switch (input.below(7)) {
                case 0 -> new Raw(input.near(consumer), topic, kind, id);
                case 1 -> new Raw(consumer, input.near(topic), kind, id);
                case 2 -> new Raw(consumer, topic, input.oneOf(Kind.values()), id);
                case 3 -> new Raw(consumer, topic, kind, input.near(id));
                case 4 -> moved(input, consumer + topic, id);
                case 5 -> new Raw(consumer, topic, kind, scope().text() + ":" + id);
                default -> new Raw(scope().text(), topic, kind, id);
            };
        }

        /** The same text, with its borders in other places. */
        private Raw moved(Hostile input, String names, String rest) {
            String all = names + rest;
            int first = input.below(all.length() + 1);
            int second = first + input.below(all.length() - first + 1);
            return new Raw(all.substring(0, first), all.substring(first, second), kind, all.substring(second));
        }

        DedupScope scope() {
            return switch (kind) {
                case MAIN -> DedupScope.of(consumer, topic);
                case DEAD_LETTER -> DedupScope.deadLetter(consumer, topic);
                case SHADOW -> DedupScope.of(consumer, topic).shadow();
                case SHADOW_OF_DEAD_LETTER ->
                    DedupScope.deadLetter(consumer, topic).shadow();
            };
        }

        /** Null when a part of it is refused, and then for a reason that was promised. */
        @Nullable
        DedupKey key() {
            DedupScope scope;
            try {
                scope = scope();
            } catch (IllegalArgumentException e) {
                Fuzz.requireLogLine(String.valueOf(e.getMessage()));
                assertThat(isName(consumer) && isName(topic)).isFalse();
                return null;
            }
            try {
                DedupKey key = scope.key(id);
                assertThat(DedupKey.problemWith(id)).isNull();
                return key;
            } catch (MissingMessageIdException e) {
                Fuzz.requireLogLine(String.valueOf(e.getMessage()));
                assertThat(DedupKey.problemWith(id)).isNotNull();
                return null;
            }
        }

        private static boolean isName(String text) {
            return !text.isBlank() && Utf8.lengthOrMinusOne(text) >= 0;
        }
    }

    @Test
    @DisplayName("no two of scope and ID have one key, each has always the same, and keys are as stores take them")
    void keys() {
        Fuzz.check("keys of scope and ID", INPUTS, input -> {
            Raw one = Raw.any(input);
            DedupKey key = one.key();
            if (key == null) {
                return;
            }
            assertThat(one.key()).isEqualTo(key);
            assertThat(key.scope().text().getBytes(StandardCharsets.UTF_8).length)
                    .isBetween(1, DedupScope.MAX_BYTES);
            assertThat(Utf8.lengthOrMinusOne(key.messageId())).isBetween(1, DedupKey.MAX_BYTES);
            Fuzz.requireLogLine(key.toString());
            Raw other = one.near(input);
            DedupKey otherKey = other.key();
            if (otherKey != null) {
                assertThat(otherKey.equals(key)).as("%s and %s", one, other).isEqualTo(other.equals(one));
                boolean sameText = otherKey.scope().text().equals(key.scope().text())
                        && otherKey.messageId().equals(key.messageId());
                assertThat(sameText).as("%s and %s", one, other).isEqualTo(other.equals(one));
            }
        });
    }
}
