package io.dedup.examples.quickstart;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.examples.shop.Events;
import io.dedup.examples.shop.PaymentTable;
import io.dedup.kafka.KafkaDedup;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.DedupStore;
import io.dedup.store.redis.RedisDedupStore;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.MessageListener;

/**
 * A consumer process: takes orders from Kafka and pays each of them once. It prints one line per event to its
 * standard output, and stops when its standard input ends.
 */
public final class OrderConsumer {
    static final String USER = "QUICKSTART_DATABASE_USER";
    static final String PASSWORD = "QUICKSTART_DATABASE_PASSWORD";

    private static final int SESSION_TIMEOUT_MS = 6_000;

    private OrderConsumer() {}

    /** Arguments: name, Kafka bootstrap servers, Redis URI, JDBC URL, and at which payment to hang (0: never). */
    public static void main(String[] args) throws Exception {
        String name = args[0];
        int hangAt = Integer.parseInt(args[4]);
        AtomicInteger started = new AtomicInteger();
        CountDownLatch marked = new CountDownLatch(Math.max(0, hangAt - 1));
        try (DedupStore store = RedisDedupStore.builder().uri(args[2]).build();
                Deduplicator deduplicator = Deduplicators.builder(store)
                        .consumer("payments")
                        .defaults(DedupPolicy.builder()
                                .window(Duration.ofDays(7))
                                .lease(Duration.ofSeconds(10))
                                .inFlightWait(Duration.ofMillis(200))
                                .build())
                        .listener(new Teller(marked))
                        .build();
                KafkaDedup dedup = KafkaDedup.builder(deduplicator)
                        .id(KafkaMessageIds.json("/data/orderId"))
                        .build();
                PaymentTable payments = new PaymentTable(
                        args[3],
                        Objects.requireNonNull(System.getenv(USER), USER),
                        Objects.requireNonNull(System.getenv(PASSWORD), PASSWORD))) {
            ConcurrentMessageListenerContainer<String, String> container = container(args[1], event -> {
                if (started.incrementAndGet() == hangAt) {
                    hangUntilKilled(marked);
                }
                payments.pay(event, name);
                Events.tell("HANDLED");
            });
            dedup.decorate(container);
            container.start();
            while (System.in.read() >= 0) {
                // until the quickstart closes our input, or ends
            }
            container.stop();
        }
    }

    private static ConcurrentMessageListenerContainer<String, String> container(
            String bootstrapServers, Consumer<String> handler) {
        ContainerProperties properties = new ContainerProperties(QuickstartMain.TOPIC);
        properties.setMessageListener((MessageListener<String, String>)
                (ConsumerRecord<String, String> order) -> handler.accept(order.value()));
        ConcurrentMessageListenerContainer<String, String> container = new ConcurrentMessageListenerContainer<>(
                new DefaultKafkaConsumerFactory<>(
                        Map.of(
                                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                                bootstrapServers,
                                ConsumerConfig.GROUP_ID_CONFIG,
                                QuickstartMain.GROUP,
                                // How long the broker waits for the killed process before it redelivers.
                                ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG,
                                SESSION_TIMEOUT_MS,
                                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                                "earliest",
                                ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                                100),
                        new StringDeserializer(),
                        new StringDeserializer()),
                properties);
        container.setRecordInterceptor((order, consumer) -> {
            Events.tell("DELIVERED");
            return order;
        });
        return container;
    }

    /**
     * Hangs before its own payment, when all earlier payments are recorded. Recording can take 10 ms: a kill within
     * that time would come between effect and record, and LEASED would handle that message again.
     */
    private static void hangUntilKilled(CountDownLatch marked) {
        try {
            marked.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted", e);
        }
        Events.tell("HANGS");
        while (true) {
            LockSupport.park();
        }
    }

    private static final class Teller implements DedupListener {
        private final CountDownLatch marked;

        Teller(CountDownLatch marked) {
            this.marked = marked;
        }

        @Override
        public void completed(DedupKey key, Duration handlerTime) {
            marked.countDown();
        }

        @Override
        public void duplicate(DedupKey key, Instant completedAt, @Nullable String firstRun) {
            Events.tell("DUPLICATE");
        }

        @Override
        public void deferred(@Nullable DedupKey key, DeferReason reason, Duration retryAfter) {
            Events.tell("DEFERRED");
        }
    }
}
