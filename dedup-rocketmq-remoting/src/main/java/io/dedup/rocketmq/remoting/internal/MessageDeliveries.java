package io.dedup.rocketmq.remoting.internal;

import io.dedup.Deduplicator;
import io.dedup.Fingerprint;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.DeliveryFactory;
import io.dedup.id.MessageIdExtractor;
import io.dedup.text.Printable;
import java.util.Map;
import org.apache.rocketmq.common.message.MessageExt;
import org.jspecify.annotations.Nullable;

/**
 * Creates the deliveries of messages. For a message from its group's retry topic, the client has restored the original
 * topic before. Thread-safe.
 */
public final class MessageDeliveries {
    private final DeliveryFactory<MessageExt> factory;

    public MessageDeliveries(
            Deduplicator deduplicator,
            @Nullable MessageIdExtractor<? super MessageExt> byDefault,
            Map<String, MessageIdExtractor<? super MessageExt>> byTopic) {
        this.factory = new DeliveryFactory<>(deduplicator::topic, byDefault, byTopic);
    }

    Delivery of(MessageExt message) {
        return factory.of(
                message.getTopic(), message, () -> place(message), each -> Fingerprint.ofPayload(each.getBody()));
    }

    /** Names a delivery of the message in logs. */
    static String origin(MessageExt message) {
        return place(message) + ", reconsumed " + message.getReconsumeTimes() + " times";
    }

    /** Names the message, the same in each of its deliveries. Escaped, because the producer chooses the message's ID. */
    private static String place(MessageExt message) {
        return "topic " + message.getTopic() + ", message " + Printable.sentence(String.valueOf(message.getMsgId()));
    }
}
