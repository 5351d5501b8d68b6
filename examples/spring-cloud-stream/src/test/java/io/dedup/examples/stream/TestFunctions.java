package io.dedup.examples.stream;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.spring.boot.integration.DedupReceiverInterceptor;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.annotation.IdempotentReceiver;
import org.springframework.integration.annotation.ServiceActivator;
import org.springframework.integration.channel.PublishSubscribeChannel;
import org.springframework.integration.dsl.IntegrationFlow;
import org.springframework.integration.kafka.dsl.Kafka;
import org.springframework.integration.kafka.inbound.KafkaMessageDrivenChannelAdapter.ListenerMode;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.listener.BatchListenerFailedException;
import org.springframework.kafka.support.converter.MessagingMessageConverter;
import org.springframework.kafka.support.converter.RecordMessageConverter;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHandler;

/** Functions that fail, and what deduplication reports of them. */
@TestConfiguration(proxyBeanMethods = false)
class TestFunctions {
    static final Handled PAYMENTS = new Handled();
    static final Handled BOOKINGS = new Handled();
    static final Handled ENTRIES = new Handled();
    static final Handled SLOW = new Handled();
    static final Handled CLAIMS = new Handled();
    static final Handled SETTLEMENTS = new Handled();

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
        return bookings -> takeAll(bookings, BOOKINGS, "");
    }

    /** Names the one that failed, if its text begins so. */
    private static void takeAll(List<String> texts, Handled handled, String named) {
        for (int i = 0; i < texts.size(); i++) {
            try {
                handled.take(texts.get(i));
            } catch (IllegalStateException e) {
                throw texts.get(i).startsWith(named) ? new BatchListenerFailedException("text " + i, e, i) : e;
            }
        }
    }

    @Bean
    Consumer<List<String>> enter() {
        return entries -> takeAll(entries, ENTRIES, "doom at");
    }

    /** Its effect is in the transaction, and is rolled back if it fails. */
    @Bean
    Consumer<String> settle(JdbcTemplate database) {
        return text -> {
            database.update("INSERT INTO reservation VALUES (?)", text);
            SETTLEMENTS.take(text);
        };
    }

    /** Drops some records on purpose, and cannot convert others. */
    @Bean
    IntegrationFlow claimFlow(ConsumerFactory<Object, Object> consumers) {
        RecordMessageConverter converter = new MessagingMessageConverter() {
            @Override
            protected Object extractAndConvertValue(ConsumerRecord<?, ?> record, @Nullable Type type) {
                String text = text(record);
                if (text.startsWith("garbage")) {
                    throw new IllegalArgumentException("cannot convert " + text);
                }
                return text;
            }
        };
        return IntegrationFlow.from(Kafka.messageDrivenChannelAdapter(consumers, ListenerMode.record, "claims")
                        .id("claims-in")
                        .recordFilterStrategy(record -> text(record).startsWith("drop"))
                        .recordMessageConverter(converter)
                        .errorChannel("claimErrors")
                        .configureListenerContainer(container -> container.groupId("insurance")))
                .handle(message -> CLAIMS.take(message.getPayload().toString()))
                .get();
    }

    private static String text(ConsumerRecord<?, ?> record) {
        return new String((byte[]) record.value(), StandardCharsets.UTF_8);
    }

    @Bean
    PublishSubscribeChannel claimErrors() {
        PublishSubscribeChannel errors = new PublishSubscribeChannel();
        errors.subscribe(error -> CLAIMS.take("error"));
        return errors;
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
