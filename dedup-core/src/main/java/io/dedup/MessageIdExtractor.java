package io.dedup;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds the business ID in a message. Thread-safe.
 *
 * <p>Null, or text that {@link DedupKey#problemWith} refuses, means that the message has none. An exception means the
 * same; its message is reported.
 *
 * @param <M> the broker's message type
 */
@FunctionalInterface
public interface MessageIdExtractor<M> {
    @Nullable
    String extract(M message);

    /** The parts' IDs joined unambiguously: ("ab", "c") and ("a", "bc") differ. Missing when any part is. */
    static <M> MessageIdExtractor<M> composite(List<MessageIdExtractor<? super M>> parts) {
        if (parts.isEmpty()) {
            throw new IllegalArgumentException("a composite ID needs at least one part");
        }
        List<MessageIdExtractor<? super M>> copy = List.copyOf(parts);
        return message -> {
            StringBuilder joined = new StringBuilder();
            for (MessageIdExtractor<? super M> part : copy) {
                String id = part.extract(message);
                if (id == null || DedupKey.problemWith(id) != null) {
                    return null;
                }
                joined.append(id.length()).append(':').append(id);
            }
            return joined.toString();
        };
    }

    /** This extractor for what {@code adapt} makes of a message. */
    default <N> MessageIdExtractor<N> on(Function<? super N, ? extends M> adapt) {
        return message -> extract(adapt.apply(message));
    }
}
