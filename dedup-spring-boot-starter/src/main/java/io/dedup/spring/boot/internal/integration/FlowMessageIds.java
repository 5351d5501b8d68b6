package io.dedup.spring.boot.internal.integration;

import io.dedup.id.MessageIdExtractor;
import io.dedup.spring.boot.internal.id.IdExpression;
import io.dedup.spring.boot.internal.id.SpelId;
import java.util.function.Function;
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
                                IdText.of(message.getHeaders().get(part.argument()), "header " + part.argument()));
            case SPEL -> SpelId.extractor(part.argument(), message -> message);
            case BEAN -> (MessageIdExtractor<? super Message<?>>) beans.apply(part.argument());
            default ->
                throw new IllegalArgumentException(part.kind().word()
                        + " isn't for messages of Spring Integration. Use header:<name>, spel: with payload and headers,"
                        + " such as spel:payload.id, or bean:");
        };
    }
}
