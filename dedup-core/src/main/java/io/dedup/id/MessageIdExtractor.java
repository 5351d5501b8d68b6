package io.dedup.id;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Extracts the business ID from a message. Thread-safe.
 *
 * <p>If it returns null or text that {@link io.dedup.DedupKey#problemWith} rejects, the message has no ID. An exception
 * means the same; its message is reported.
 *
 * @param <M> the broker's message type
 */
@FunctionalInterface
public interface MessageIdExtractor<M> {
    /** Returns the ID; null if the message has none. */
    @Nullable
    String extract(M message);

    /**
     * Names where this extractor looks, for errors about a message without an ID, such as {@code header "order-id"}.
     * For an ID of several parts, names the first part that the message lacks. Never includes content of the message.
     */
    default String source(M message) {
        return "message ID";
    }

    /**
     * Returns the extractor with a name for where it looks: with {@code header "order-id"}, errors say
     * {@code it has no header "order-id"}.
     */
    static <M> MessageIdExtractor<M> named(String source, MessageIdExtractor<? super M> extractor) {
        return new MessageIdExtractor<>() {
            @Override
            public @Nullable String extract(M message) {
                return extractor.extract(message);
            }

            @Override
            public String source(M message) {
                return source;
            }
        };
    }

    /**
     * Returns an extractor that joins the IDs of several parts unambiguously: ("ab", "c") and ("a", "bc") differ. The
     * ID is missing if any part is.
     *
     * @throws IllegalArgumentException if there are no parts
     */
    static <M> MessageIdExtractor<M> composite(List<MessageIdExtractor<? super M>> parts) {
        if (parts.isEmpty()) {
            throw new IllegalArgumentException("a composite ID needs at least one part");
        }
        return new CompositeId<>(parts);
    }

    /** Returns this extractor for another message type, which {@code adapt} converts. */
    default <N> MessageIdExtractor<N> on(Function<? super N, ? extends M> adapt) {
        MessageIdExtractor<M> mine = this;
        return new MessageIdExtractor<>() {
            @Override
            public @Nullable String extract(N message) {
                return mine.extract(adapt.apply(message));
            }

            @Override
            public String source(N message) {
                return mine.source(adapt.apply(message));
            }
        };
    }
}
