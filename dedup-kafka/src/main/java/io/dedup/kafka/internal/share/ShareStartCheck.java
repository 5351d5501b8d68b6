package io.dedup.kafka.internal.share;

import io.dedup.adapter.DedupAdapter;
import io.dedup.kafka.internal.container.TransactionCheck;
import io.dedup.kafka.internal.record.RecordDeliveries;
import io.dedup.kafka.internal.spring.HandlerMethods;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.AcknowledgingShareConsumerAwareMessageListener;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.ShareAckMode;
import org.springframework.kafka.listener.ShareKafkaMessageListenerContainer;
import org.springframework.kafka.listener.adapter.AsyncRepliesAware;

/** Refuses to start share containers whose settings would lose messages or handle them twice. */
final class ShareStartCheck {
    private final ShareKafkaMessageListenerContainer<?, ?> container;
    private final ContainerProperties properties;
    private final @Nullable Object listener;
    private final DedupAdapter engine;
    private final RecordDeliveries deliveries;

    /** @param listener the application's own */
    ShareStartCheck(
            ShareKafkaMessageListenerContainer<?, ?> container,
            @Nullable Object listener,
            DedupAdapter engine,
            RecordDeliveries deliveries) {
        this.container = container;
        this.listener = listener;
        this.properties = container.getContainerProperties();
        this.engine = engine;
        this.deliveries = deliveries;
    }

    /**
     * Throws if the container cannot be run safely.
     *
     * @throws IllegalArgumentException when a topic has no ID extractor
     * @throws IllegalStateException when a setting would lose messages or handle them twice
     */
    void requireSafe() {
        if (properties.getShareAckMode() == ShareAckMode.IMPLICIT) {
            throw refused("its shareAckMode is IMPLICIT: the broker would count every record as accepted, even if its"
                    + " handler failed or it is in flight elsewhere, and lose it. Set shareAckMode to EXPLICIT (the"
                    + " container acknowledges) or MANUAL (the handler acknowledges)");
        }
        if (properties.getShareAckMode() == ShareAckMode.MANUAL
                && !(listener instanceof AcknowledgingShareConsumerAwareMessageListener<?, ?>)) {
            throw refused("its shareAckMode is MANUAL, but its listener cannot acknowledge. Implement"
                    + " AcknowledgingShareConsumerAwareMessageListener, or set shareAckMode to EXPLICIT");
        }
        if (listener instanceof AsyncRepliesAware async && async.isAsyncReplies()) {
            throw refused(
                    "its handler returns a CompletableFuture or a Mono, or is a suspend function, and spring-kafka"
                            + " would acknowledge the record when the method returns. Return when the work is done");
        }
        if (listener != null) {
            requireNotDetached(listener);
        }
        for (String topic : topics()) {
            requireTopic(topic);
        }
    }

    private void requireNotDetached(Object listener) {
        for (HandlerMethods.Handler each : HandlerMethods.of(listener)) {
            if (each.isDetached()) {
                throw refused("its handler " + each.name()
                        + " is @Async, so that its record would be acknowledged before" + " its effect. Remove @Async");
            }
        }
    }

    private void requireTopic(String topic) {
        if (!deliveries.knows(topic)) {
            throw new IllegalArgumentException("Topic " + topic + " of " + name()
                    + " has no message ID extractor: set KafkaDedup.builder(...).id(\"" + topic
                    + "\", extractor), or a default with id(extractor)");
        }
        String group = String.valueOf(container.getGroupId());
        String first = engine.firstGroup(topic, group);
        if (!first.equals(group)) {
            throw refused("its group " + group + " reads topic " + topic + ", which group " + first
                    + " reads under the same consumer name: each would skip as duplicates the messages that only the"
                    + " other has handled. Use a Deduplicator with a different consumer name for each group");
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
        return new IllegalStateException("Cannot deduplicate " + name() + ": " + why + ".");
    }

    private String name() {
        return "share listener container " + container.getListenerId();
    }
}
