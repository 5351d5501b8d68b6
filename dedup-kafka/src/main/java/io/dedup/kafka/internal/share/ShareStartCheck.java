package io.dedup.kafka.internal.share;

import io.dedup.adapter.DedupAdapter;
import io.dedup.kafka.internal.container.TransactionCheck;
import io.dedup.kafka.internal.record.RecordDeliveries;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.AcknowledgingShareConsumerAwareMessageListener;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.ShareAckMode;
import org.springframework.kafka.listener.ShareKafkaMessageListenerContainer;
import org.springframework.kafka.listener.adapter.AsyncRepliesAware;

/** Refuses at start what would lose or double messages of a share group. */
final class ShareStartCheck {
    private final ShareKafkaMessageListenerContainer<?, ?> container;
    private final ContainerProperties properties;
    private final DedupAdapter engine;
    private final RecordDeliveries deliveries;

    ShareStartCheck(
            ShareKafkaMessageListenerContainer<?, ?> container, DedupAdapter engine, RecordDeliveries deliveries) {
        this.container = container;
        this.properties = container.getContainerProperties();
        this.engine = engine;
        this.deliveries = deliveries;
    }

    /**
     * Refuses.
     *
     * @throws IllegalArgumentException when a topic has no ID extractor
     * @throws IllegalStateException when the container can't be run safely
     */
    void requireSafe() {
        Object listener = properties.getMessageListener();
        if (properties.getShareAckMode() == ShareAckMode.IMPLICIT) {
            throw refused("its shareAckMode is IMPLICIT: the broker takes every record for accepted, one whose handler"
                    + " failed or that is in flight elsewhere as well, and loses it. Use EXPLICIT, where the container"
                    + " acknowledges, or MANUAL");
        }
        if (properties.getShareAckMode() == ShareAckMode.MANUAL
                && !(listener instanceof AcknowledgingShareConsumerAwareMessageListener<?, ?>)) {
            throw refused("its shareAckMode is MANUAL, but its listener can't acknowledge: implement"
                    + " AcknowledgingShareConsumerAwareMessageListener, or use EXPLICIT");
        }
        if (listener instanceof AsyncRepliesAware async && async.isAsyncReplies()) {
            throw refused(
                    "its handler returns a CompletableFuture, a Mono or is a suspend function: spring-kafka takes its"
                            + " return for the end of the work. Return when the work is done");
        }
        for (String topic : topics()) {
            requireTopic(topic, listener);
        }
    }

    private void requireTopic(String topic, @Nullable Object listener) {
        if (!deliveries.knows(topic)) {
            throw new IllegalArgumentException("topic " + topic + " of " + name()
                    + " has no message ID extractor: set KafkaDedup.builder(...).id(\"" + topic
                    + "\", extractor), or a default with id(extractor)");
        }
        String group = String.valueOf(container.getGroupId());
        String first = engine.firstGroup(topic, group);
        if (!first.equals(group)) {
            throw refused("its group " + group + " reads topic " + topic + ", which group " + first
                    + " reads under the same consumer name: each would take what the other has handled for duplicates,"
                    + " and lose it. Give each group a Deduplicator with a consumer name of its own");
        }
        String problem = listener == null ? null : TransactionCheck.handlerProblem(engine, deliveries, topic, listener);
        if (problem != null) {
            throw refused(problem);
        }
    }

    private List<String> topics() {
        String[] topics = properties.getTopics();
        return topics == null ? List.of() : List.of(topics);
    }

    private IllegalStateException refused(String why) {
        return new IllegalStateException(name() + " can't be deduplicated: " + why);
    }

    private String name() {
        return "share listener container " + container.getListenerId();
    }
}
