package io.dedup.adapter;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.DedupTopic;
import io.dedup.MissingMessageIdException;
import io.dedup.fuzz.Fuzz;
import io.dedup.fuzz.Hostile;
import io.dedup.id.MessageIdExtractor;
import io.dedup.policy.DedupPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class DeliveryFuzzTest {
    private static final int INPUTS = 20_000;

    @Test
    @DisplayName("T7 joined IDs are the same only when all their parts are")
    void composites() {
        Fuzz.check("joined IDs", INPUTS, input -> {
            List<String> one = parts(input);
            List<String> other = near(input, one);
            String joined = joined(one);
            assertThat(joined(one)).isEqualTo(joined);
            if (one.stream().anyMatch(part -> DedupKey.problemWith(part) != null)) {
                assertThat(joined).isNull();
            } else if (joined(other) != null) {
                assertThat(Objects.equals(joined, joined(other)))
                        .as("%s and %s", one, other)
                        .isEqualTo(one.equals(other));
            }
        });
    }

    private static List<String> parts(Hostile input) {
        List<String> parts = new ArrayList<>();
        int number = 1 + input.below(4);
        for (int i = 0; i < number; i++) {
            parts.add(input.once(3) ? input.anyText() : input.text());
        }
        return parts;
    }

    private static List<String> near(Hostile input, List<String> parts) {
        List<String> other = new ArrayList<>(parts);
        int at = input.below(parts.size());
        if (input.once(2) && at + 1 < parts.size()) {
            // The same text, cut elsewhere.
            String both = parts.get(at) + parts.get(at + 1);
            int cut = input.below(both.length() + 1);
            other.set(at, both.substring(0, cut));
            other.set(at + 1, both.substring(cut));
        } else {
            other.set(at, input.near(parts.get(at)));
        }
        return other;
    }

    private static @Nullable String joined(List<String> parts) {
        List<MessageIdExtractor<? super String>> extractors = new ArrayList<>();
        parts.forEach(part -> extractors.add(message -> part));
        return MessageIdExtractor.<String>composite(extractors).extract("any");
    }

    @Test
    @DisplayName("whatever an extractor answers or throws, there is a delivery, and what is said of it is one line")
    void extractors() {
        Fuzz.check("answers of ID extractors", INPUTS, input -> {
            String text = input.anyText();
            int kind = input.below(8);
            MessageIdExtractor<String> extractor = message -> switch (kind) {
                case 0 -> throw new IllegalArgumentException(text);
                case 1 -> throw new IllegalStateException(text, new RuntimeException(text));
                case 2 -> throw new StackOverflowError(text);
                case 3 -> throw new AssertionError(text);
                default -> text;
            };
            DedupTopic topic = new DedupTopic(DedupScope.of(name(input), name(input)), DedupPolicy.defaults());
            DeliveryFactory<String> factory = new DeliveryFactory<>(
                    any -> topic,
                    input.once(2) ? extractor : MessageIdExtractor.named("header \"id\"", extractor),
                    Map.of());

            Delivery delivery = factory.of("topic", "message", () -> "topic topic, partition 0", message -> null);

            if (kind >= 4 && DedupKey.problemWith(text) == null) {
                assertThat(delivery.key()).isEqualTo(topic.scope().key(text));
            } else {
                assertThat(delivery.key()).isNull();
                Fuzz.requireLogLine(String.valueOf(new MissingMessageIdException(
                                topic.scope().consumer(),
                                topic.policy(),
                                delivery.origin().get(),
                                Objects.requireNonNull(delivery.problem()))
                        .getMessage()));
            }
        });
    }

    private static String name(Hostile input) {
        String name = input.text();
        return name.isBlank() ? "blank" : name;
    }
}
