package io.dedup.examples.live;

import io.dedup.testservers.kafka.KafkaServer;
import io.dedup.testservers.kafka.KafkaServers;
import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** The shop and its consumer on a Kafka and a PostgreSQL of their own. */
final class LiveDemo implements AutoCloseable {
    private final KafkaServer kafka;
    private final SqlDatabase database;
    private final ConfigurableApplicationContext shop;

    private LiveDemo(KafkaServer kafka, SqlDatabase database, ConfigurableApplicationContext shop) {
        this.kafka = kafka;
        this.database = database;
        this.shop = shop;
    }

    /** Starts everything; returns when the page is served, while the consumer still starts. */
    static LiveDemo start(String... settings) {
        KafkaServer kafka = KafkaServers.start();
        SqlDatabase database = PostgresServers.newDatabase();
        try {
            return start(kafka, database, settings);
        } catch (RuntimeException e) { // such as a port that is taken
            try (kafka;
                    database) {
                throw e;
            }
        }
    }

    private static LiveDemo start(KafkaServer kafka, SqlDatabase database, String... settings) {
        for (String topic : Topics.ALL) {
            kafka.createTopic(topic, 3);
            kafka.createTopic(topic + "-dlt", 3);
        }
        List<String> all = new ArrayList<>(List.of(
                "--spring.config.name=shop",
                "--spring.kafka.bootstrap-servers=" + kafka.bootstrapServers(),
                "--spring.datasource.url=" + database.jdbcUrl(),
                "--spring.datasource.username=" + database.user(),
                "--spring.datasource.password=" + database.password()));
        all.addAll(List.of(settings));
        return new LiveDemo(kafka, database, SpringApplication.run(ShopApplication.class, all.toArray(String[]::new)));
    }

    /** The tables of the shop and its consumer. */
    SqlDatabase database() {
        return database;
    }

    /** Of the page; ends in a slash. */
    String url() {
        return "http://127.0.0.1:"
                + Objects.requireNonNull(shop.getEnvironment().getProperty("local.server.port")) + "/";
    }

    @Override
    public void close() {
        try (kafka;
                database) {
            shop.close();
        }
    }
}
