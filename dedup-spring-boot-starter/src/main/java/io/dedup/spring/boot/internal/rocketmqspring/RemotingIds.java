package io.dedup.spring.boot.internal.rocketmqspring;

import io.dedup.id.MessageIdExtractor;
import io.dedup.rocketmq.remoting.RemotingMessageIds;
import io.dedup.spring.boot.internal.id.IdExpression;
import io.dedup.spring.boot.internal.id.SpelId;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.apache.rocketmq.common.message.MessageConst;
import org.apache.rocketmq.common.message.MessageExt;
import org.jspecify.annotations.Nullable;

/** Makes extractors for messages of the older client of ID expressions, with the IDs of {@code RocketMqIds}. Thread-safe. */
public final class RemotingIds {
    /** What many messages of a topic have in common. */
    private static final Set<String> COMMON = Set.of("topic", "tag");

    private final Function<String, MessageIdExtractor<?>> beans;

    /** Over the application's beans; see {@code KafkaIds}. */
    public RemotingIds(Function<String, MessageIdExtractor<?>> beans) {
        this.beans = beans;
    }

    /**
     * The extractor.
     *
     * @throws IllegalArgumentException when it can't be one for RocketMQ
     * @throws IllegalStateException when what it needs isn't on the class path
     */
    MessageIdExtractor<? super MessageExt> of(IdExpression expression) {
        return expression.extractor(this::one);
    }

    @SuppressWarnings("unchecked") // as in KafkaIds
    private MessageIdExtractor<? super MessageExt> one(IdExpression.Part part) {
        return switch (part.kind()) {
            case PROPERTY -> RemotingMessageIds.property(part.argument());
            case KEYS ->
                part.argument().isEmpty()
                        ? RemotingMessageIds.key()
                        : RemotingMessageIds.keyStartingWith(part.argument());
            case JSON -> RemotingMessageIds.json(part.argument());
            case COORDINATES -> RemotingMessageIds.messageId();
            case SPEL -> SpelId.extractor(part.argument(), Message.class, COMMON, Message::new);
            case BEAN -> (MessageIdExtractor<? super MessageExt>) beans.apply(part.argument());
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
        private final MessageExt message;

        Message(MessageExt message) {
            this.message = message;
        }

        public String getTopic() {
            return message.getTopic();
        }

        public @Nullable String getTag() {
            return message.getTags();
        }

        public Collection<String> getKeys() {
            String keys = message.getKeys();
            return keys == null
                    ? List.of()
                    : Arrays.stream(keys.split(MessageConst.KEY_SEPARATOR))
                            .filter(key -> !key.isEmpty())
                            .toList();
        }

        /** The body as text in UTF-8; null where there is none. */
        public @Nullable String getBody() {
            byte[] body = message.getBody();
            return body == null ? null : new String(body, StandardCharsets.UTF_8);
        }

        /** A property's value; null where it is absent. */
        public @Nullable String property(String name) {
            return message.getProperty(name);
        }
    }
}
