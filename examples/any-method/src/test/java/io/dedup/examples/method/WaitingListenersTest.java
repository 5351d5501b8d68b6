package io.dedup.examples.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.DedupScope;
import io.dedup.spring.boot.Deduplicated;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.Owner;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.testservers.amqp.QpidServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.h2.tools.Server;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.amqp.core.Queue;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.support.AmqpHeaders;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.jms.support.JmsHeaders;
import org.springframework.messaging.handler.annotation.Header;

/**
 * A deferral isn't a failure: it must not use up the attempts that the broker allows. Here it drops a message after the first failure
 * (RabbitMQ), or after 10 of them (Artemis), because there is no dead-letter queue.
 */
@TestInstance(Lifecycle.PER_CLASS)
class WaitingListenersTest {
    private static final Duration SOON = Duration.ofMinutes(3);
    private static final int MORE_THAN_ALL_ATTEMPTS = 21;

    private AutoCloseable rabbit = () -> {};
    private Server database;
    private ConfigurableApplicationContext app;
    private Seen seen;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Stock.class, Seen.class})
    static class App {}

    static class Stock {
        private final Seen seen;

        Stock(Seen seen) {
            this.seen = seen;
        }

        @RabbitListener(queues = "orders")
        @Deduplicated(topic = "rabbit", consumer = "stock", id = "#id")
        public void fromRabbit(
                String order, @Header("order-id") String id, @Header(AmqpHeaders.REDELIVERED) boolean redelivered) {
            seen.effect(id, redelivered);
        }

        @JmsListener(destination = "orders")
        @Deduplicated(topic = "jms", consumer = "stock", id = "#id")
        public void fromJms(
                String order, @Header("orderId") String id, @Header(JmsHeaders.REDELIVERED) boolean redelivered) {
            seen.effect(id, redelivered);
        }
    }

    /** What the handlers have done, and how often each message was deferred. */
    static final class Seen implements DedupListener {
        final List<String> effects = new CopyOnWriteArrayList<>();
        private final Map<String, AtomicInteger> deferrals = new ConcurrentHashMap<>();

        /** Marks those that have used up an attempt. */
        void effect(String id, boolean redelivered) {
            effects.add(redelivered ? id + " redelivered" : id);
        }

        @Override
        public void deferred(@Nullable DedupKey key, DeferReason reason, Duration retryAfter) {
            if (key != null) {
                deferrals
                        .computeIfAbsent(key.messageId(), id -> new AtomicInteger())
                        .incrementAndGet();
            }
        }

        int deferrals(String id) {
            return deferrals.getOrDefault(id, new AtomicInteger()).get();
        }
    }

    /** Starts a broker that speaks RabbitMQ's protocol; returns its port. */
    int startRabbit() throws Exception {
        QpidServer broker = new QpidServer();
        rabbit = broker;
        return broker.port();
    }

    /** What {@link #stop} closes. */
    void close(AutoCloseable broker) {
        rabbit = broker;
    }

    Stream<String> brokers() {
        return Stream.of("rabbit", "jms");
    }

    /** If not, the client drops a message at its first failure. */
    boolean requeuesRejected() {
        return false;
    }

    Queue queue() {
        return new Queue("orders");
    }

    @BeforeAll
    void start() throws Exception {
        int port = startRabbit();
        database = database("0");
        app = new SpringApplicationBuilder(App.class)
                .initializers(context -> ((GenericApplicationContext) context).registerBean(Queue.class, this::queue))
                .properties(
                        "spring.main.web-application-type=none",
                        "spring.main.banner-mode=off",
                        "spring.config.name=none", // not that of the shop
                        "spring.artemis.mode=embedded",
                        "spring.artemis.embedded.persistent=false",
                        "spring.artemis.embedded.queues=orders",
                        "spring.rabbitmq.port=" + port,
                        "spring.rabbitmq.listener.simple.default-requeue-rejected=" + requeuesRejected(),
                        "spring.datasource.url=jdbc:h2:tcp://127.0.0.1:" + database.getPort() + "/mem:"
                                + getClass().getSimpleName() + ";DB_CLOSE_DELAY=-1",
                        // without a pool, whose wait for a connection would slow the deliveries down
                        "spring.datasource.type=org.springframework.jdbc.datasource.SimpleDriverDataSource",
                        "dedup.store=jdbc",
                        "dedup.jdbc.initialize-schema=always",
                        "dedup.defaults.lease=3s",
                        "dedup.defaults.in-flight-wait=20ms",
                        "dedup.defaults.max-defer-delay=20ms")
                .run();
        seen = app.getBean(Seen.class);
    }

    private static Server database(String port) throws SQLException {
        return Server.createTcpServer("-tcpPort", port, "-ifNotExists").start();
    }

    @AfterAll
    void stop() throws Exception {
        if (app != null) {
            app.close();
            database.stop();
        }
        rabbit.close();
    }

    private Consumer<String> sender(String broker) {
        return broker.equals("rabbit")
                ? id -> app.getBean(RabbitTemplate.class).convertAndSend("", "orders", "order", message -> {
                    message.getMessageProperties().setHeader("order-id", id);
                    return message;
                })
                : id -> app.getBean(JmsTemplate.class).convertAndSend("orders", "order", message -> {
                    message.setStringProperty("orderId", id);
                    return message;
                });
    }

    @ParameterizedTest
    @MethodSource("brokers")
    @DisplayName("the store is down for longer than all attempts of a message take: each message is handled after that")
    void storeDown(String broker) throws Exception {
        List<String> ids =
                IntStream.range(0, 5).mapToObj(i -> broker + "-down-" + i).toList();
        int port = database.getPort();
        database.stop();
        try {
            ids.forEach(sender(broker));
            await().atMost(SOON).until(() -> ids.stream().anyMatch(id -> seen.deferrals(id) >= MORE_THAN_ALL_ATTEMPTS));
        } finally {
            database = database(String.valueOf(port));
        }
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(seen.effects).containsAll(ids).doesNotHaveDuplicates());
    }

    @ParameterizedTest
    @MethodSource("brokers")
    @DisplayName("the process that handled a message has died: another one handles it when the lease is over")
    void ownerDied(String broker) {
        String id = broker + "-died";
        DedupKey key = new DedupKey(DedupScope.of("stock", broker), id);
        ClaimResult claim = JdbcDedupStore.builder(app.getBean(DataSource.class))
                .build()
                .claim(List.of(new ClaimRequest(key, new Owner("dead"), Duration.ofSeconds(3), null, true)))
                .get(0);
        assertThat(claim).isInstanceOf(ClaimResult.Acquired.class);

        sender(broker).accept(id);

        await().atMost(SOON).untilAsserted(() -> assertThat(seen.effects).containsOnlyOnce(id));
    }
}
