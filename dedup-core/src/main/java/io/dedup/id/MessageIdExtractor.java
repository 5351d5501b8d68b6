package io.dedup.id;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds the business ID in a message. Thread-safe.
 *
 * <p>Null, or text that {@link io.dedup.DedupKey#problemWith} refuses, means that the message has none. An exception means the
 * same; its message is reported.
 *
 * @param <M> the broker's message type
 */
@FunctionalInterface
public interface MessageIdExtractor<M> {
    @Nullable
    String extract(M message);

    /**
     * What this looks for, for errors about a message that doesn't have it: {@code header "order-id"}. Of several parts the
     * first that the message lacks. Holds nothing of the message's content.
     */
    default String source(M message) {
        return "message ID";
    }

    /** The extractor, with what it looks for: {@code header "order-id"} makes errors say {@code it has no header "order-id"}. */
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

    /** The parts' IDs joined unambiguously: ("ab", "c") and ("a", "bc") differ. Missing when any part is. */
    static <M> MessageIdExtractor<M> composite(List<MessageIdExtractor<? super M>> parts) {
        if (parts.isEmpty()) {
            throw new IllegalArgumentException("a composite ID needs at least one part");
        }
        return new CompositeId<>(parts);
    }

    /** This extractor for what {@code adapt} makes of a message. */
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
