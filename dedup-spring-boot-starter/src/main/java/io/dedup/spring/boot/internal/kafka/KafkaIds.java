package io.dedup.spring.boot.internal.kafka;

import io.dedup.id.MessageIdExtractor;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.spring.boot.internal.id.IdExpression;
import io.dedup.spring.boot.internal.id.SpelId;
import java.time.Instant;
import java.util.Set;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Makes extractors for Kafka's records of ID expressions. Thread-safe. */
public final class KafkaIds {
    /** What differs from topic to topic, but hardly from message to message. */
    private static final Set<String> COMMON = Set.of("topic", "partition");

    private final Function<String, MessageIdExtractor<?>> beans;
    private final MessageIdExtractor<ConsumerRecord<?, ?>> coordinates;

    /**
     * Over the application's beans.
     *
     * @param beans finds an extractor by the name of its bean; throws IllegalArgumentException where there is none
     * @param coordinatesMarkedSince null if all records have the mark
     */
    public KafkaIds(Function<String, MessageIdExtractor<?>> beans, @Nullable Instant coordinatesMarkedSince) {
        this.beans = beans;
        this.coordinates = coordinatesMarkedSince == null
                ? KafkaMessageIds.coordinates()
                : KafkaMessageIds.coordinatesMarkedSince(coordinatesMarkedSince);
    }

    /**
     * The extractor.
     *
     * @throws IllegalArgumentException when it cannot be one for Kafka
     * @throws IllegalStateException when what it needs isn't on the class path
     */
    public MessageIdExtractor<? super ConsumerRecord<?, ?>> of(IdExpression expression) {
        return expression.extractor(this::one);
    }

    @SuppressWarnings(
            "unchecked") // a bean's type argument cannot be asked; a wrong one is a missing ID with its reason
    private MessageIdExtractor<? super ConsumerRecord<?, ?>> one(IdExpression.Part part) {
        return switch (part.kind()) {
            case HEADER -> KafkaMessageIds.header(part.argument());
            case KEY -> KafkaMessageIds.key();
            case JSON -> KafkaMessageIds.json(part.argument());
            case CLOUDEVENT -> KafkaMessageIds.cloudEvent();
            case COORDINATES -> coordinates;
            case SPEL -> SpelId.extractor(part.argument(), Message.class, COMMON, Message::new);
            case BEAN -> (MessageIdExtractor<? super ConsumerRecord<?, ?>>) beans.apply(part.argument());
            case ARGUMENT ->
                throw new IllegalArgumentException(part.argument()
                        + " reads the arguments of a method that isn't a listener of Kafka. For Kafka, use spel:, which sees"
                        + " key, value, topic, partition, offset, timestamp and header('name')");
            case PROPERTY, KEYS ->
                throw new IllegalArgumentException(part.kind().word() + " is only for RocketMQ. For Kafka, use header:"
                        + (part.argument().isEmpty() ? "<name>" : part.argument()) + " or key");
        };
    }

    /** What an expression sees. */
    public static final class Message {
        private final ConsumerRecord<?, ?> record;

        Message(ConsumerRecord<?, ?> record) {
            this.record = record;
        }

        public @Nullable Object getKey() {
            return record.key();
        }

        public @Nullable Object getValue() {
            return record.value();
        }

        public String getTopic() {
            return record.topic();
        }

        public int getPartition() {
            return record.partition();
        }

        public long getOffset() {
            return record.offset();
        }

        /** In milliseconds. */
        public long getTimestamp() {
            return record.timestamp();
        }

        /** A header's text; null where it is absent. */
        public @Nullable String header(String name) {
            return KafkaMessageIds.header(name).extract(record);
        }
    }
}
