package io.dedup.spring.boot.internal.integration;

import io.dedup.id.MessageIdExtractor;
import io.dedup.spring.boot.internal.id.IdExpression;
import io.dedup.spring.boot.internal.id.SpelId;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.messaging.Message;

/** Makes extractors for the messages of flows of ID expressions. Thread-safe. */
public final class FlowMessageIds {
    private final Function<String, MessageIdExtractor<?>> beans;

    /** Over the application's beans; see {@code KafkaIds}. */
    public FlowMessageIds(Function<String, MessageIdExtractor<?>> beans) {
        this.beans = beans;
    }

    /**
     * The extractor.
     *
     * @throws IllegalArgumentException when it can't be one for messages of flows
     */
    MessageIdExtractor<? super Message<?>> of(IdExpression expression) {
        return expression.extractor(this::one);
    }

    @SuppressWarnings("unchecked") // as in KafkaIds
    private MessageIdExtractor<? super Message<?>> one(IdExpression.Part part) {
        return switch (part.kind()) {
            case HEADER ->
                MessageIdExtractor.named(
                        "header \"" + part.argument() + "\"",
                        (Message<?> message) ->
                                text(part.argument(), message.getHeaders().get(part.argument())));
            case SPEL -> SpelId.extractor(part.argument(), message -> message);
            case BEAN -> (MessageIdExtractor<? super Message<?>>) beans.apply(part.argument());
            default ->
                throw new IllegalArgumentException(part.kind().word()
                        + " isn't for messages of Spring Integration. Use header:<name>, spel: with payload and headers,"
                        + " such as spel:payload.id, or bean:");
        };
    }

    private static @Nullable String text(String header, @Nullable Object value) {
        if (value instanceof byte[] bytes) {
            return new String(bytes, StandardCharsets.UTF_8);
        }
        if (value == null
                || value instanceof String
                || value instanceof Long
                || value instanceof Integer
                || value instanceof UUID) {
            return value == null ? null : value.toString();
        }
        throw new IllegalArgumentException(
                "header " + header + " is a " + value.getClass().getName() + ", which has no unambiguous text");
    }
}
