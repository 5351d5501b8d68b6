package io.dedup.rocketmq;

import io.dedup.Deduplicator;
import io.dedup.Fingerprint;
import io.dedup.MessageIdExtractor;
import io.dedup.engine.Delivery;
import io.dedup.engine.DeliveryFactory;
import java.util.Map;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.jspecify.annotations.Nullable;

/** Makes deliveries of messages. Thread-safe. */
final class MessageDeliveries {
    private final DeliveryFactory<MessageView> factory;

    MessageDeliveries(
            Deduplicator deduplicator,
            @Nullable MessageIdExtractor<? super MessageView> byDefault,
            Map<String, MessageIdExtractor<? super MessageView>> byTopic) {
        this.factory = new DeliveryFactory<>(deduplicator::topic, byDefault, byTopic);
    }

    Delivery of(MessageView message) {
        return factory.of(
                message.getTopic(),
                message,
                () -> origin(message),
                view -> Fingerprint.ofPayload(RocketMqMessageIds.bytes(view)));
    }

    static String origin(MessageView message) {
        return "topic " + message.getTopic() + ", message " + message.getMessageId() + ", attempt "
                + message.getDeliveryAttempt();
    }
}
