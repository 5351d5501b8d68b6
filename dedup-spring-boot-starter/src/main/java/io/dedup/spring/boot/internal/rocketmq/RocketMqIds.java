package io.dedup.spring.boot.internal.rocketmq;

import io.dedup.id.MessageIdExtractor;
import io.dedup.rocketmq.RocketMqMessageIds;
import io.dedup.spring.boot.internal.id.IdExpression;
import io.dedup.spring.boot.internal.id.SpelId;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Set;
import java.util.function.Function;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.jspecify.annotations.Nullable;

/** Makes extractors for RocketMQ's messages of ID expressions. Thread-safe. */
public final class RocketMqIds {
    /** What many messages of a topic have in common. */
    private static final Set<String> COMMON = Set.of("topic", "tag");

    private final Function<String, MessageIdExtractor<?>> beans;

    /** Over the application's beans; see {@code KafkaIds}. */
    public RocketMqIds(Function<String, MessageIdExtractor<?>> beans) {
        this.beans = beans;
    }

    /**
     * The extractor.
     *
     * @throws IllegalArgumentException when it can't be one for RocketMQ
     * @throws IllegalStateException when what it needs isn't on the class path
     */
    MessageIdExtractor<? super MessageView> of(IdExpression expression) {
        return expression.extractor(this::one);
    }

    @SuppressWarnings("unchecked") // as in KafkaIds
    private MessageIdExtractor<? super MessageView> one(IdExpression.Part part) {
        return switch (part.kind()) {
            case PROPERTY -> RocketMqMessageIds.property(part.argument());
            case KEYS ->
                part.argument().isEmpty()
                        ? RocketMqMessageIds.key()
                        : RocketMqMessageIds.keyStartingWith(part.argument());
            case JSON -> RocketMqMessageIds.json(part.argument());
            case COORDINATES -> RocketMqMessageIds.messageId();
            case SPEL -> SpelId.extractor(part.argument(), Message.class, COMMON, Message::new);
            case BEAN -> (MessageIdExtractor<? super MessageView>) beans.apply(part.argument());
            case ARGUMENT ->
                throw new IllegalArgumentException(part.argument()
                        + " reads the arguments of a method that isn't a listener of RocketMQ. For RocketMQ, use spel:, which"
                        + " sees body, topic, tag, keys and property('name')");
            case HEADER, KEY, CLOUDEVENT ->
                throw new IllegalArgumentException(part.kind().word() + " is only for Kafka. For RocketMQ, use "
                        + switch (part.kind()) {
                            case HEADER -> "property:" + part.argument();
                            case KEY -> "keys";
                            default -> "property:<source> + property:<id>, with your producer's names";
                        });
        };
    }

    /** What an expression sees. */
    static final class Message {
        private final MessageView message;

        Message(MessageView message) {
            this.message = message;
        }

        public String getTopic() {
            return message.getTopic();
        }

        public @Nullable String getTag() {
            return message.getTag().orElse(null);
        }

        public Collection<String> getKeys() {
            return message.getKeys();
        }

        /** The body as text in UTF-8. */
        public String getBody() {
            return StandardCharsets.UTF_8.decode(message.getBody().duplicate()).toString();
        }

        /** A property's value; null where it is absent. */
        public @Nullable String property(String name) {
            return message.getProperties().get(name);
        }
    }
}
