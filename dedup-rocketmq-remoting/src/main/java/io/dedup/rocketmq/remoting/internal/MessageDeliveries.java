package io.dedup.rocketmq.remoting.internal;

import io.dedup.DedupTopic;
import io.dedup.Deduplicator;
import io.dedup.Fingerprint;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.DeliveryFactory;
import io.dedup.adapter.GroupProgress;
import io.dedup.adapter.QueueMessageOrigin;
import io.dedup.duplicate.MessagePlace;
import io.dedup.id.MessageIdExtractor;
import io.dedup.policy.DedupPolicy;
import io.dedup.policy.OnMissingId;
import io.dedup.text.Printable;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.store.OffsetStore;
import org.apache.rocketmq.client.consumer.store.ReadOffsetType;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;
import org.jspecify.annotations.Nullable;

/**
 * Creates the deliveries of messages. For a message from its group's retry topic, the client has restored the original
 * topic before. Thread-safe.
 */
public final class MessageDeliveries {
    private final DeliveryFactory<MessageExt> factory;
    private final GroupProgress<MessageQueue> progress = new GroupProgress<>();
    private final List<DefaultMQPushConsumer> consumers = new CopyOnWriteArrayList<>();

    public MessageDeliveries(
            Deduplicator deduplicator,
            @Nullable MessageIdExtractor<? super MessageExt> byDefault,
            Map<String, MessageIdExtractor<? super MessageExt>> byTopic) {
        this.factory = new DeliveryFactory<>(deduplicator::topic, byDefault, byTopic);
    }

    Delivery of(MessageExt message) {
        Supplier<String> origin = () -> place(message);
        DedupTopic topic = factory.topic(message.getTopic());
        DedupPolicy policy = topic.policy();
        return factory.of(
                message.getTopic(),
                topic,
                message,
                policy.explainDuplicates() ? placed(message, policy.senderHeader(), origin) : origin,
                each -> Fingerprint.ofPayload(each.getBody()));
    }

    /** Whether no record would recognize the message when it is redelivered: it would be run at each delivery. */
    public boolean isUnrecorded(MessageExt message) {
        Delivery delivery = of(message);
        return delivery.isShadow()
                || (delivery.key() == null && delivery.topic().policy().onMissingId() == OnMissingId.PROCESS);
    }

    /** From now on this consumer's offsets show what it has consumed. Only needed to explain duplicates. */
    public void watch(DefaultMQPushConsumer consumer) {
        consumers.add(consumer);
    }

    private Supplier<String> placed(MessageExt message, @Nullable String senderHeader, Supplier<String> name) {
        int mark = String.valueOf(message.getMsgId()).hashCode();
        String sender =
                MessagePlace.cutSender(senderHeader == null ? bornHost(message) : message.getProperty(senderHeader));
        if (message.getReconsumeTimes() > 0) {
            return QueueMessageOrigin.retried(name, mark, sender);
        }
        MessageQueue queue = new MessageQueue(message.getTopic(), message.getBrokerName(), message.getQueueId());
        long offset = message.getQueueOffset();
        progress.committed(queue, consumed(queue));
        progress.fetched(this, queue, offset, offset);
        GroupProgress.Known known = progress.known(queue);
        boolean firstInSession = known.isFirstInSession(offset);
        MessagePlace place =
                new MessagePlace(message.getBrokerName() + "/" + message.getQueueId(), offset, mark, known.committed());
        return QueueMessageOrigin.of(
                name, place, sender, first -> progress.causeOf(queue, offset, firstInSession, first.committed()));
    }

    /** The offset up to which the consumer has consumed the queue, which it commits every few seconds; -1 if it isn't known. */
    @SuppressWarnings("deprecation") // nothing else shows it
    private long consumed(MessageQueue queue) {
        long consumed = -1;
        for (DefaultMQPushConsumer consumer : consumers) {
            OffsetStore offsets = consumer.getDefaultMQPushConsumerImpl().getOffsetStore();
            if (offsets != null) {
                consumed = Math.max(consumed, offsets.readOffset(queue, ReadOffsetType.READ_FROM_MEMORY));
            }
        }
        return consumed;
    }

    /** Not the host's name, which a name server would have to be asked for. */
    private static @Nullable String bornHost(MessageExt message) {
        return message.getBornHost() instanceof InetSocketAddress host && host.getAddress() != null
                ? host.getAddress().getHostAddress() + ":" + host.getPort()
                : null;
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
