package io.dedup.rocketmq.internal.listener;

import io.dedup.DedupTopic;
import io.dedup.Deduplicator;
import io.dedup.Fingerprint;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.DeliveryFactory;
import io.dedup.adapter.QueueMessageOrigin;
import io.dedup.duplicate.DuplicateCause;
import io.dedup.duplicate.MessagePlace;
import io.dedup.id.MessageIdExtractor;
import io.dedup.policy.DedupPolicy;
import io.dedup.text.Printable;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.apache.rocketmq.client.java.message.MessageViewImpl;
import org.jspecify.annotations.Nullable;

/** Creates the deliveries of messages. Thread-safe. */
public final class MessageDeliveries {
    private final DeliveryFactory<MessageView> factory;

    public MessageDeliveries(
            Deduplicator deduplicator,
            @Nullable MessageIdExtractor<? super MessageView> byDefault,
            Map<String, MessageIdExtractor<? super MessageView>> byTopic) {
        this.factory = new DeliveryFactory<>(deduplicator::topic, byDefault, byTopic);
    }

    public Delivery of(MessageView message) {
        Supplier<String> origin = () -> place(message);
        DedupTopic topic = factory.topic(message.getTopic());
        DedupPolicy policy = topic.policy();
        return factory.of(
                message.getTopic(),
                topic,
                message,
                policy.explainDuplicates() ? placed(message, policy.senderHeader(), origin) : origin,
                view -> Fingerprint.ofPayload(payload(view)));
    }

    /**
     * The broker counts the attempts of a message, also those that ended with its process. So a first attempt of a message that was
     * handled before is a replay.
     */
    private static Supplier<String> placed(MessageView message, @Nullable String senderHeader, Supplier<String> name) {
        int mark = String.valueOf(message.getMessageId()).hashCode();
        String sender = senderHeader == null
                ? message.getBornHost()
                : message.getProperties().get(senderHeader);
        String cut = MessagePlace.cutSender(sender);
        if (message.getDeliveryAttempt() > 1) {
            return QueueMessageOrigin.retried(name, mark, cut);
        }
        if (message instanceof MessageViewImpl known && known.getMessageQueue() != null && known.getOffset() >= 0) {
            String broker = known.getMessageQueue().getBroker().getName();
            return QueueMessageOrigin.of(
                    name, new MessagePlace(broker, known.getOffset(), mark, -1), cut, first -> DuplicateCause.REPLAYED);
        }
        return name;
    }

    /** Names a delivery of the message in logs. */
    public static String origin(MessageView message) {
        return place(message) + ", attempt " + message.getDeliveryAttempt();
    }

    /**
     * Names the message, the same in each of its deliveries. The text is escaped, because the producer chooses the message
     * ID and the broker accepts any that isn't blank.
     */
    private static String place(MessageView message) {
        return "topic " + message.getTopic() + ", message "
                + Printable.sentence(String.valueOf(message.getMessageId()));
    }

    public static byte[] payload(MessageView message) {
        ByteBuffer body = message.getBody().duplicate();
        byte[] bytes = new byte[body.remaining()];
        body.get(bytes);
        return bytes;
    }
}
