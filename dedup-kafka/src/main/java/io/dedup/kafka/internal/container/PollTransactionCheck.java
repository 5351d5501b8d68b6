package io.dedup.kafka.internal.container;

import io.dedup.kafka.internal.poll.WatchedInterceptors;
import io.dedup.kafka.internal.settlement.ContainerServices;
import io.dedup.kafka.internal.spring.AckModes;
import io.dedup.kafka.internal.spring.HandlerMethods;
import io.dedup.policy.DedupPolicy;
import io.dedup.policy.SettingNames;
import io.dedup.policy.TransactionSpan;
import java.util.Collection;
import org.apache.kafka.clients.consumer.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ConsumerSeekAware;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ListenerType;
import org.springframework.kafka.listener.ListenerUtils;
import org.springframework.kafka.listener.adapter.KafkaBackoffAwareMessageListenerAdapter;
import org.springframework.kafka.listener.adapter.MessagingMessageListenerAdapter;
import org.springframework.messaging.handler.annotation.SendTo;

/**
 * Refuses transactions that span several records of a poll where something happens at each record's own turn, before or behind its
 * handler's call: handlers are called before the turns of their records.
 */
final class PollTransactionCheck {
    private final AbstractMessageListenerContainer<?, ?> container;
    private final ContainerProperties properties;
    private final ContainerServices services;

    PollTransactionCheck(AbstractMessageListenerContainer<?, ?> container, ContainerServices services) {
        this.container = container;
        this.properties = container.getContainerProperties();
        this.services = services;
    }

    /** Returns why this record listener's transactions cannot span a poll; null if they can, or don't. */
    @Nullable
    String problem(Collection<String> topics, Object listener) {
        DedupPolicy policy = listener instanceof BatchMessageListener<?, ?> ? null : spanning(topics);
        String reason = policy == null ? null : reason(listener);
        if (policy == null || reason == null) {
            return null;
        }
        SettingNames names = policy.settingNames();
        return names.path("transaction") + " is " + names.value(TransactionSpan.POLL) + ", so that handlers are called"
                + " before their records' turns, but " + reason + ", or set " + names.name("transaction") + " to "
                + names.value(TransactionSpan.RECORD);
    }

    private @Nullable DedupPolicy spanning(Collection<String> topics) {
        return topics.stream()
                .map(topic -> services.deliveries().topic(topic).policy())
                .filter(policy -> policy.transaction() == TransactionSpan.POLL && !policy.shadow())
                .findFirst()
                .orElse(null);
    }

    private @Nullable String reason(Object listener) {
        if (AckModes.isManual(properties)) {
            return "the ack mode is " + properties.getAckMode()
                    + ", and an acknowledgment would belong to another record's turn. Set the ack mode to BATCH";
        }
        if (listener instanceof KafkaBackoffAwareMessageListenerAdapter<?, ?>) {
            return "the listener belongs to @RetryableTopic, which holds each record back at its turn. Remove"
                    + " @RetryableTopic and use a DefaultErrorHandler";
        }
        if (WatchedInterceptors.ofRecords(container) != null) {
            return "the container has a RecordInterceptor, which is called at each record's turn. Remove the"
                    + " interceptor";
        }
        if (properties.isObservationEnabled()) {
            return "observationEnabled is true, and handlers would run in the observation of another record. Set"
                    + " observationEnabled to false";
        }
        if (properties.isDeliveryAttemptHeader()) {
            return "deliveryAttemptHeader is true, and the container adds this header at each record's turn. Set"
                    + " deliveryAttemptHeader to false";
        }
        if (container.getListenerInfo() != null) {
            return "listenerInfo is set, and the container adds this header at each record's turn. Remove listenerInfo";
        }
        return handlerReason(listener);
    }

    private static @Nullable String handlerReason(Object listener) {
        Object innermost = HandlerMethods.innermost(listener);
        boolean annotated = innermost instanceof MessagingMessageListenerAdapter<?, ?>;
        if (!annotated && innermost instanceof ConsumerSeekAware) {
            return seeks(innermost.getClass().getSimpleName());
        }
        ListenerType type = ListenerUtils.determineListenerType(innermost);
        if (!annotated && (type == ListenerType.CONSUMER_AWARE || type == ListenerType.ACKNOWLEDGING_CONSUMER_AWARE)) {
            return consumer(innermost.getClass().getSimpleName());
        }
        for (HandlerMethods.Handler each : HandlerMethods.of(listener)) {
            if (ConsumerSeekAware.class.isAssignableFrom(each.type())) {
                return seeks(each.name());
            }
            if (annotated && each.hasParameterOf(Consumer.class)) {
                return consumer(each.name());
            }
            if (AnnotatedElementUtils.hasAnnotation(each.method(), SendTo.class)
                    || AnnotatedElementUtils.hasAnnotation(each.type(), SendTo.class)) {
                return "the handler " + each.name()
                        + " replies (@SendTo), and would reply before the commit. Send from an outbox table that the"
                        + " handler writes to";
            }
        }
        return null;
    }

    private static String seeks(String handler) {
        return "the handler " + handler + " is a ConsumerSeekAware, and could seek at another record's turn. Let it not"
                + " implement ConsumerSeekAware";
    }

    private static String consumer(String handler) {
        return "the handler " + handler
                + " is given the Consumer, and could seek or commit at another record's turn. Remove this parameter";
    }
}
