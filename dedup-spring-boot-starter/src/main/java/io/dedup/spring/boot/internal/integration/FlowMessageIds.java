package io.dedup.spring.boot.internal.integration;

import io.dedup.id.IdText;
import io.dedup.id.MessageIdExtractor;
import io.dedup.spring.boot.internal.id.IdExpression;
import io.dedup.spring.boot.internal.id.SpelId;
import io.dedup.spring.boot.internal.id.SpringHeaders;
import java.util.List;
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
     * @throws IllegalArgumentException when it cannot be one for messages of flows
     */
    MessageIdExtractor<? super Message<?>> of(IdExpression expression) {
        return requireStable(expression.extractor(this::one));
    }

    /** As the extractor, for one that cannot be checked before. */
    static MessageIdExtractor<Message<?>> requireStable(MessageIdExtractor<? super Message<?>> extractor) {
        return SpringHeaders.refusing(extractor, List::of);
    }

    @SuppressWarnings("unchecked") // as in KafkaIds
    private MessageIdExtractor<? super Message<?>> one(IdExpression.Part part) {
        return switch (part.kind()) {
            case HEADER ->
                MessageIdExtractor.named(
                        "header \"" + SpringHeaders.require(part.argument()) + "\"",
                        (Message<?> message) ->
                                IdText.of(message.getHeaders().get(part.argument()), "header " + part.argument()));
            case SPEL -> SpelId.extractor(part.argument(), SpringHeaders.pathsOfMessage(), message -> message);
            case BEAN -> (MessageIdExtractor<? super Message<?>>) beans.apply(part.argument());
            default ->
                throw new IllegalArgumentException(part.kind().word()
                        + " isn't for messages of Spring Integration. Use header:<name>, spel: with payload and headers,"
                        + " such as spel:payload.id, or bean:");
        };
    }
}
