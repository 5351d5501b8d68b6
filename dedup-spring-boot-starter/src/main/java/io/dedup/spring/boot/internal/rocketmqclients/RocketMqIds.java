package io.dedup.spring.boot.internal.rocketmqclients;

import io.dedup.id.MessageIdExtractor;
import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.internal.deduplicator.ServingDeduplicator;
import io.dedup.spring.boot.internal.id.IdExpression;
import io.dedup.spring.boot.internal.id.SpelId;
import io.dedup.spring.boot.internal.plan.TopicPlan;
import io.dedup.spring.boot.internal.plan.TopicPlans;
import java.util.Collection;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes extractors for RocketMQ's messages of ID expressions. Thread-safe.
 *
 * @param <M> a message of one of the clients
 */
public final class RocketMqIds<M> {
    private static final Logger log = LoggerFactory.getLogger("io.dedup");

    /** What many messages of a topic have in common. */
    private static final Set<String> COMMON = Set.of("topic", "tag");

    private final Function<String, MessageIdExtractor<?>> beans;
    private final Extractors<M> extractors;
    private final Function<M, Message> view;

    /**
     * Over the application's beans.
     *
     * @param beans see {@code KafkaIds}
     * @param view what an expression sees of a message
     */
    public RocketMqIds(
            Function<String, MessageIdExtractor<?>> beans, Extractors<M> extractors, Function<M, Message> view) {
        this.beans = beans;
        this.extractors = extractors;
        this.view = view;
    }

    /** Those of a client's adapter. */
    public record Extractors<M>(
            Function<String, MessageIdExtractor<M>> property,
            MessageIdExtractor<M> key,
            Function<String, MessageIdExtractor<M>> keyStartingWith,
            Function<String, MessageIdExtractor<M>> json,
            MessageIdExtractor<M> messageId) {}

    /** Passes on the extractor of each topic that is for RocketMQ. */
    public void forEach(ServingDeduplicator serving, BiConsumer<String, MessageIdExtractor<? super M>> action) {
        serving.topics().forEach((topic, plan) -> {
            try {
                action.accept(topic, of(plan));
            } catch (DedupConfigurationException e) {
                log.debug("Topic {} isn't for RocketMQ", topic, e); // a listener that reads it all the same was refused
            }
        });
    }

    /**
     * The extractor.
     *
     * @throws DedupConfigurationException when it cannot be one for RocketMQ, or what it needs isn't on the class path
     */
    public MessageIdExtractor<? super M> of(TopicPlan plan) {
        try {
            return plan.id().extractor(this::one);
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw TopicPlans.idRefused(plan.idProperty(), e);
        }
    }

    @SuppressWarnings("unchecked") // as in KafkaIds
    private MessageIdExtractor<? super M> one(IdExpression.Part part) {
        String argument = part.argument();
        return switch (part.kind()) {
            case PROPERTY -> extractors.property().apply(argument);
            case KEYS ->
                argument.isEmpty()
                        ? extractors.key()
                        : extractors.keyStartingWith().apply(argument);
            case JSON -> extractors.json().apply(argument);
            case COORDINATES -> extractors.messageId();
            case SPEL -> SpelId.extractor(argument, Message.class, COMMON, view);
            case BEAN -> (MessageIdExtractor<? super M>) beans.apply(argument);
            case ARGUMENT ->
                throw new IllegalArgumentException(argument
                        + " reads the arguments of a method that isn't a listener of RocketMQ. For RocketMQ, use spel:, which"
                        + " sees body, topic, tag, keys and property('name')");
            case HEADER, KEY, CLOUDEVENT ->
                throw new IllegalArgumentException(part.kind().word() + " is only for Kafka. For RocketMQ, use "
                        + switch (part.kind()) {
                            case HEADER -> "property:" + argument;
                            case KEY -> "keys";
                            default -> "property:<source> + property:<id>, with your producer's names";
                        });
        };
    }

    /** What an expression sees. */
    public static final class Message {
        private final String topic;
        private final @Nullable String tag;
        private final Supplier<Collection<String>> keys;
        private final Supplier<@Nullable String> body;
        private final Function<String, @Nullable String> properties;

        /** @param body as text in UTF-8 */
        public Message(
                String topic,
                @Nullable String tag,
                Supplier<Collection<String>> keys,
                Supplier<@Nullable String> body,
                Function<String, @Nullable String> properties) {
            this.topic = topic;
            this.tag = tag;
            this.keys = keys;
            this.body = body;
            this.properties = properties;
        }

        public String getTopic() {
            return topic;
        }

        public @Nullable String getTag() {
            return tag;
        }

        public Collection<String> getKeys() {
            return keys.get();
        }

        /** The body as text in UTF-8; null where there is none. */
        public @Nullable String getBody() {
            return body.get();
        }

        /** A property's value; null where it is absent. */
        public @Nullable String property(String name) {
            return properties.apply(name);
        }
    }
}
