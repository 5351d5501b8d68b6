package io.dedup.examples.readme;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.examples.readme.TransferListener.Transfer;
import io.dedup.store.DedupStore;
import io.dedup.store.jdbc.InitializeSchema;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.memory.InMemoryDedupStore;
import io.dedup.testservers.kafka.KafkaServer;
import io.dedup.testservers.kafka.KafkaServers;
import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlDatabase;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaOperations;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.transaction.PlatformTransactionManager;

/** The samples of the README, side by side in one application. */
class SamplesTest {
    private static final String ORDER = "{\"data\": {\"orderId\": \"%s\"}}";

    private final KafkaServer broker = KafkaServers.start();
    private final SqlDatabase database = PostgresServers.newDatabase();
    private @Nullable AnnotationConfigApplicationContext application;

    @BeforeEach
    void start() {
        broker.address().createTopic("orders", 1);
        broker.address().createTopic("transfers", 1);
        migrate();
        application = new AnnotationConfigApplicationContext();
        application.registerBean("broker", KafkaServer.class, () -> broker, bean -> bean.setDestroyMethodName(""));
        application.registerBean("dataSource", DataSource.class, () -> pool(database));
        application.register(Application.class);
        application.refresh();
    }

    private void migrate() {
        try (HikariDataSource pool = pool(database);
                JdbcDedupStore table = JdbcDedupStore.builder(pool)
                        .initializeSchema(InitializeSchema.ALWAYS)
                        .build()) {
            table.ping();
            // without a key, which would hide what is doubled
            new JdbcTemplate(pool).execute("CREATE TABLE moved (amount bigint)");
        }
    }

    @AfterEach
    void stop() {
        if (application != null) {
            application.close();
        }
        database.close();
        broker.close();
    }

    /** What the samples leave to the application. */
    @Configuration
    @Import({PaymentListener.class, TransferListener.class})
    static class Application {
        final List<String> charged = new CopyOnWriteArrayList<>();
        private boolean failed;

        @Bean
        PaymentListener.Cards cards() {
            return charged::add;
        }

        @Bean
        DedupStore store() {
            return new InMemoryDedupStore();
        }

        @Bean
        PlatformTransactionManager transactions(DataSource dataSource) {
            return new DataSourceTransactionManager(dataSource);
        }

        /** Fails once, after its effect. */
        @Bean
        TransferListener.Accounts accounts(DataSource dataSource) {
            JdbcTemplate jdbc = new JdbcTemplate(dataSource);
            return (from, to, amount) -> {
                jdbc.update("INSERT INTO moved VALUES (?)", amount);
                if (!failed) {
                    failed = true;
                    throw new IllegalStateException("failed once, for the test");
                }
            };
        }

        @Bean
        KafkaOperations<String, String> deadLetters(KafkaServer broker) {
            return new KafkaTemplate<>(new DefaultKafkaProducerFactory<>(
                    Map.of(
                            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                            broker.address().bootstrapServers()),
                    new StringSerializer(),
                    new StringSerializer()));
        }

        @Bean
        ConsumerFactory<String, String> orders(KafkaServer broker) {
            return consumers(broker, new StringDeserializer());
        }

        @Bean
        ConsumerFactory<String, Transfer> transfers(KafkaServer broker) {
            return consumers(
                    broker,
                    (topic, data) -> new Transfer("a", "b", Long.parseLong(new String(data, StandardCharsets.UTF_8))));
        }

        private static <V> ConsumerFactory<String, V> consumers(KafkaServer broker, Deserializer<V> values) {
            return new DefaultKafkaConsumerFactory<>(
                    Map.of(
                            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                            broker.address().bootstrapServers(),
                            ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                            "earliest"),
                    new StringDeserializer(),
                    values);
        }
    }

    private static HikariDataSource pool(SqlDatabase database) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(database.jdbcUrl());
        pool.setUsername(database.user());
        pool.setPassword(database.password());
        return pool;
    }

    private void send(List<ProducerRecord<String, String>> records) throws Exception {
        Map<String, Object> settings =
                Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, broker.address().bootstrapServers());
        try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            for (ProducerRecord<String, String> record : records) {
                producer.send(record).get();
            }
        }
    }

    private static ProducerRecord<String, String> order(String id) {
        return new ProducerRecord<>("orders", ORDER.formatted(id));
    }

    private static ProducerRecord<String, String> transfer(String id, long amount) {
        ProducerRecord<String, String> transfer = new ProducerRecord<>("transfers", Long.toString(amount));
        transfer.headers().add(new RecordHeader("transfer-id", id.getBytes(StandardCharsets.UTF_8)));
        return transfer;
    }

    @Test
    void eachTakesEffectOnce() throws Exception {
        send(List.of(order("1"), order("1"), order("2")));
        send(List.of(transfer("t-1", 100), transfer("t-1", 100), transfer("t-2", 20)));

        List<String> charged = application.getBean(Application.class).charged;
        JdbcTemplate jdbc = new JdbcTemplate(application.getBean(DataSource.class));
        // The last of each topic comes after all others.
        await().atMost(Duration.ofMinutes(3))
                .untilAsserted(() -> assertThat(charged).contains(ORDER.formatted("2")));
        await().atMost(Duration.ofMinutes(3))
                .untilAsserted(() -> assertThat(jdbc.queryForList("SELECT amount FROM moved", Long.class))
                        .contains(20L));

        assertThat(charged).containsExactly(ORDER.formatted("1"), ORDER.formatted("2"));
        assertThat(jdbc.queryForList("SELECT amount FROM moved", Long.class)).containsExactly(100L, 20L);
        assertThat(jdbc.queryForObject("SELECT count(*) FROM dedup_record", Long.class))
                .isEqualTo(2);
    }
}
