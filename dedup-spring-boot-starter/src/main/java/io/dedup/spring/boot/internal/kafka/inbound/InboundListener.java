package io.dedup.spring.boot.internal.kafka.inbound;

import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.ConsumerRecordRecoverer;
import org.springframework.messaging.MessageChannel;

/**
 * A listener that sends its messages to a channel.
 *
 * @param name under which it is configured in {@code dedup.listeners}
 * @param channel that it sends to
 * @param retries the setting, or the advice, that makes it call the flow or its function again in place after a failure; null if it doesn't
 * @param recovers the setting that makes it return normally after a failure, when an error channel or a recoverer has taken the message;
 *     null if it doesn't
 * @param deadLetters takes messages that deduplication rejects; null to leave them to the container's error handler
 */
public record InboundListener(
        String name,
        AbstractMessageListenerContainer<?, ?> container,
        @Nullable MessageChannel channel,
        @Nullable String retries,
        @Nullable String recovers,
        @Nullable ConsumerRecordRecoverer deadLetters) {}
