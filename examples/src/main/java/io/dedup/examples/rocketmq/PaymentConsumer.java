package io.dedup.examples.rocketmq;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.examples.shop.Events;
import io.dedup.examples.shop.PaymentTable;
import io.dedup.policy.DedupPolicy;
import io.dedup.rocketmq.RocketMqDedup;
import io.dedup.rocketmq.RocketMqMessageIds;
import io.dedup.store.DedupStore;
import io.dedup.store.jdbc.InitializeSchema;
import io.dedup.store.jdbc.JdbcDedupStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.rocketmq.client.apis.ClientServiceProvider;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.consumer.FilterExpression;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.apache.rocketmq.client.apis.consumer.PushConsumer;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.jspecify.annotations.Nullable;

/**
 * A consumer process: takes orders from RocketMQ and pays each of them once. It prints one line per event to its
 * standard output, and stops when its standard input ends.
 */
public final class PaymentConsumer {
    static final String USER = "EXAMPLE_DATABASE_USER";
    static final String PASSWORD = "EXAMPLE_DATABASE_PASSWORD";

    private PaymentConsumer() {}

    /** Arguments: name, endpoints of RocketMQ's proxy, JDBC URL, and at which payment to hang (0: never). */
    public static void main(String[] args) throws Exception {
        String name = args[0];
        String jdbcUrl = args[2];
        int hangAt = Integer.parseInt(args[3]);
        String user = Objects.requireNonNull(System.getenv(USER), USER);
        String password = Objects.requireNonNull(System.getenv(PASSWORD), PASSWORD);
        AtomicInteger started = new AtomicInteger();
        try (HikariDataSource pool = pool(jdbcUrl, user, password);
                DedupStore store = JdbcDedupStore.builder(pool)
                        .initializeSchema(InitializeSchema.ALWAYS)
                        .build();
                Deduplicator deduplicator = Deduplicators.builder(store)
                        .consumer("payments")
                        .defaults(DedupPolicy.builder()
                                .window(Duration.ofDays(7))
                                .lease(Duration.ofSeconds(10))
                                .build())
                        .listener(new Teller())
                        .build();
                PaymentTable payments = new PaymentTable(jdbcUrl, user, password);
                RocketMqDedup dedup = RocketMqDedup.builder(deduplicator)
                        .id(RocketMqMessageIds.key())
                        .build()) {
            MessageListener listener = dedup.decorate(RocketMqPaymentsMain.GROUP, message -> {
                if (started.incrementAndGet() == hangAt) {
                    Events.tell("HANGS");
                    hangUntilKilled();
                }
                payments.pay(StandardCharsets.UTF_8.decode(message.getBody()).toString(), name);
                Events.tell("HANDLED");
                return ConsumeResult.SUCCESS;
            });
            try (PushConsumer consumer = ClientServiceProvider.loadService()
                    .newPushConsumerBuilder()
                    .setClientConfiguration(RocketMqPaymentsMain.configuration(args[1]))
                    .setConsumerGroup(RocketMqPaymentsMain.GROUP)
                    .setSubscriptionExpressions(Map.of(RocketMqPaymentsMain.TOPIC, FilterExpression.SUB_ALL))
                    // So that no other message is between its effect and its record when this process is killed.
                    .setConsumptionThreadCount(1)
                    .setMessageListener(message -> delivered(listener, message))
                    .build()) {
                Events.tell("READY");
                while (System.in.read() >= 0) {
                    // until the example closes our input, or ends
                }
                dedup.close(); // limits its waits, because the consumer's close waits for them
            }
        }
    }

    private static ConsumeResult delivered(MessageListener listener, MessageView message) {
        Events.tell("DELIVERED");
        return listener.consume(message);
    }

    private static HikariDataSource pool(String jdbcUrl, String user, String password) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(jdbcUrl);
        config.setUsername(user);
        config.setPassword(password);
        config.setMaximumPoolSize(4);
        return new HikariDataSource(config);
    }

    private static void hangUntilKilled() {
        while (true) {
            LockSupport.park();
        }
    }

    private static final class Teller implements DedupListener {
        @Override
        public void duplicate(DedupKey key, Instant completedAt, @Nullable String firstRun) {
            Events.tell("DUPLICATE");
        }

        @Override
        public void deferred(@Nullable DedupKey key, DeferReason reason, Duration retryAfter) {
            Events.tell("WAITED");
        }
    }
}
