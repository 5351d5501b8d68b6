package io.dedup.examples.stream;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.spring.boot.integration.DedupReceiverInterceptor;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.annotation.IdempotentReceiver;
import org.springframework.integration.annotation.ServiceActivator;
import org.springframework.integration.channel.PublishSubscribeChannel;
import org.springframework.kafka.listener.BatchListenerFailedException;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHandler;

/** Functions that fail, and what deduplication reports of them. */
@TestConfiguration(proxyBeanMethods = false)
class TestFunctions {
    static final Handled PAYMENTS = new Handled();
    static final Handled BOOKINGS = new Handled();
    static final Handled ENTRIES = new Handled();
    static final Handled SLOW = new Handled();

    /** IDs, by what happened to them. */
    static final Map<String, List<String>> REPORTED = new ConcurrentHashMap<>();

    static List<String> reported(String what) {
        return REPORTED.computeIfAbsent(what, unused -> new CopyOnWriteArrayList<>());
    }

    @Bean
    Consumer<Message<String>> pay() {
        return payment -> PAYMENTS.take(payment.getPayload());
    }

    @Bean
    Consumer<List<String>> book() {
        return bookings -> {
            for (int i = 0; i < bookings.size(); i++) {
                try {
                    BOOKINGS.take(bookings.get(i));
                } catch (IllegalStateException e) {
                    throw new BatchListenerFailedException("booking " + i, e, i);
                }
            }
        };
    }

    @Bean
    Consumer<List<String>> enter() {
        return entries -> entries.forEach(ENTRIES::take);
    }

    /** With the key strategy and the annotation that an IdempotentReceiverInterceptor would have. */
    @Bean
    DedupReceiverInterceptor slowOnce() {
        return new DedupReceiverInterceptor(
                "slow", "slow", (Message<?> message) -> message.getHeaders().get("id2", String.class));
    }

    @Bean
    @ServiceActivator(inputChannel = "slow")
    @IdempotentReceiver("slowOnce")
    MessageHandler slowHandler() {
        return message -> SLOW.take(message.getPayload().toString());
    }

    @Bean
    PublishSubscribeChannel duplicates() {
        return new PublishSubscribeChannel();
    }

    @Bean
    DedupListener reports() {
        return new DedupListener() {
            @Override
            public void duplicate(DedupKey key, Instant completedAt, @Nullable String firstRun) {
                reported("duplicate").add(key.messageId());
            }

            @Override
            public void deferred(@Nullable DedupKey key, DeferReason reason, Duration retryAfter) {
                reported(reason.name()).add(key == null ? "" : key.messageId());
            }

            @Override
            public void released(DedupKey key, @Nullable Throwable cause) {
                reported("released").add(key.messageId());
            }
        };
    }
}
