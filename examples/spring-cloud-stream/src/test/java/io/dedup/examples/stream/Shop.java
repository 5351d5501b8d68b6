package io.dedup.examples.stream;

import io.dedup.testkit.faults.TcpProxy;
import io.dedup.testservers.kafka.KafkaServers;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.h2.tools.Server;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/** The application, with a database that can be cut off. One for all tests. */
final class Shop {
    static final Duration SOON = Duration.ofMinutes(3);

    private static @Nullable Shop shared;

    private final Server server;
    private final KafkaProducer<String, String> producer = new KafkaProducer<>(
            Map.of("bootstrap.servers", KafkaServers.shared().bootstrapServers()),
            new StringSerializer(),
            new StringSerializer());
    final TcpProxy database;
    final ConfigurableApplicationContext context;

    private Shop() throws SQLException {
        server = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
        database = TcpProxy.to(server.getPort());
        for (String topic : List.of(
                "orders", "offers", "prices", "clicks", "bookings", "invoices", "claims", "returns", "settlements")) {
            KafkaServers.shared().createTopic(topic, 1);
        }
        KafkaServers.shared().createTopic("payments", 2);
        KafkaServers.shared().createTopic("entries", 2);
        context = application()
                .run(
                        "--spring.datasource.url=jdbc:h2:tcp://localhost:" + database.port()
                                + "/mem:shop;DB_CLOSE_DELAY=-1",
                        "--spring.datasource.hikari.connection-timeout=500",
                        "--spring.datasource.hikari.validation-timeout=300",
                        "--spring.cloud.function.definition=reserve;price;count;pay;book;enter;settle",
                        "--spring.cloud.stream.bindings.reserve-in-0.destination=orders,returns",
                        "--spring.cloud.stream.bindings.pay-in-0.destination=payments",
                        "--spring.cloud.stream.bindings.pay-in-0.group=tills",
                        "--spring.cloud.stream.bindings.pay-in-0.consumer.concurrency=2",
                        "--spring.cloud.stream.bindings.pay-in-0.consumer.max-attempts=2",
                        "--spring.cloud.stream.bindings.pay-in-0.consumer.back-off-initial-interval=10",
                        "--spring.cloud.stream.kafka.bindings.pay-in-0.consumer.enable-dlq=true",
                        "--spring.cloud.stream.kafka.bindings.pay-in-0.consumer.dlq-name=payments-dlq",
                        "--spring.cloud.stream.bindings.book-in-0.destination=bookings",
                        "--spring.cloud.stream.bindings.book-in-0.group=ledger",
                        "--spring.cloud.stream.bindings.book-in-0.consumer.batch-mode=true",
                        "--spring.cloud.stream.bindings.enter-in-0.destination=entries",
                        "--spring.cloud.stream.bindings.enter-in-0.group=ledger",
                        "--spring.cloud.stream.bindings.enter-in-0.consumer.batch-mode=true",
                        "--spring.cloud.stream.bindings.enter-in-0.consumer.concurrency=2",
                        "--spring.cloud.stream.kafka.bindings.enter-in-0.consumer.enable-dlq=true",
                        "--spring.cloud.stream.kafka.bindings.enter-in-0.consumer.dlq-name=entries-dlq",
                        "--dedup.topics.returns.id=header:order-id",
                        "--dedup.topics.claims.id=header:claim-id",
                        "--spring.cloud.stream.bindings.settle-in-0.destination=settlements",
                        "--spring.cloud.stream.bindings.settle-in-0.group=ledger",
                        "--spring.cloud.stream.bindings.settle-in-0.consumer.max-attempts=1",
                        "--spring.cloud.stream.kafka.bindings.settle-in-0.consumer.enable-dlq=true",
                        "--spring.cloud.stream.kafka.bindings.settle-in-0.consumer.dlq-name=settlements-dlq",
                        "--dedup.topics.settlements.id=key",
                        "--dedup.topics.settlements.mode=transactional",
                        "--dedup.topics.payments.id=key",
                        "--dedup.topics.bookings.id=key",
                        "--dedup.topics.entries.id=key",
                        "--dedup.listeners.slowOnce.max-wait=10ms",
                        "--dedup.defaults.in-flight-wait=10ms",
                        "--dedup.defaults.max-defer-delay=300ms");
    }

    /** With the broker's address, and without more than what application.yml says otherwise. */
    static SpringApplicationBuilder application() {
        return new SpringApplicationBuilder(ShopApplication.class, TestFunctions.class)
                .properties(
                        "spring.main.web-application-type=none",
                        "spring.kafka.bootstrap-servers="
                                + KafkaServers.shared().bootstrapServers(),
                        "spring.kafka.consumer.auto-offset-reset=earliest");
    }

    static synchronized Shop shared() {
        Shop found = shared;
        if (found == null) {
            try {
                found = new Shop();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
            shared = found;
            Runtime.getRuntime().addShutdownHook(new Thread(found::close));
        }
        return found;
    }

    private void close() {
        context.close();
        producer.close(Duration.ZERO);
        database.close();
        server.stop();
    }

    void send(String topic, @Nullable Integer partition, @Nullable String key, String text, String... headers) {
        ProducerRecord<String, String> record = new ProducerRecord<>(topic, partition, key, text);
        for (int i = 0; i < headers.length; i += 2) {
            record.headers().add(headers[i], headers[i + 1].getBytes(StandardCharsets.UTF_8));
        }
        try {
            producer.send(record).get(30, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The texts in partition 0 and 1 of a topic. */
    static List<String> texts(String topic) {
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", KafkaServers.shared().bootstrapServers()),
                new StringDeserializer(),
                new StringDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(each -> new TopicPartition(each.topic(), each.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            List<String> texts = new ArrayList<>();
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                consumer.poll(Duration.ofMillis(200)).forEach(record -> texts.add(record.value()));
            }
            return texts;
        }
    }

    List<String> rows(String table) {
        return context.getBean(JdbcTemplate.class).queryForList("SELECT id FROM " + table, String.class);
    }
}
