package io.dedup.examples.boot;

import io.dedup.testservers.ParentWatch;
import io.dedup.testservers.kafka.KafkaServer;
import io.dedup.testservers.kafka.KafkaServers;
import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlDatabase;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.core.KafkaTemplate;

/**
 * Runs the application on a Kafka and a PostgreSQL of its own, sends 300 orders, each of them up to three times, and counts
 * the bills. Exits with 1 when there aren't 300.
 */
public final class BillingMain {
    private static final int ORDERS = 300;
    private static final Duration LIMIT = Duration.ofMinutes(3);

    private BillingMain() {}

    public static void main(String[] args) throws Exception {
        ParentWatch.start();
        try (KafkaServer kafka = KafkaServers.start();
                SqlDatabase database = PostgresServers.newDatabase()) {
            kafka.address().createTopic("orders", 3);
            boolean once;
            try (ConfigurableApplicationContext application = SpringApplication.run(
                    BillingApplication.class,
                    "--spring.kafka.bootstrap-servers=" + kafka.bootstrapServers(),
                    "--spring.datasource.url=" + database.jdbcUrl(),
                    "--spring.datasource.username=" + database.user(),
                    "--spring.datasource.password=" + database.password(),
                    "--spring.sql.init.mode=always")) {
                once = run(application, kafka);
            }
            System.exit(once ? 0 : 1);
        }
    }

    private static boolean run(ConfigurableApplicationContext application, KafkaServer kafka) throws Exception {
        JdbcTemplate jdbc = application.getBean(JdbcTemplate.class);
        long sent = send(application);
        long until = System.nanoTime() + LIMIT.toNanos();
        while (consumed(kafka) < sent && System.nanoTime() < until) {
            Thread.sleep(200);
        }
        long bills = Objects.requireNonNull(jdbc.queryForObject("SELECT count(*) FROM bill", Long.class));
        say(
                "sent %,d messages of %,d orders; consumed %,d; bills in the table: %,d",
                sent, ORDERS, consumed(kafka), bills);
        boolean once = bills == ORDERS && consumed(kafka) == sent;
        say(once ? "every order was billed once" : "WRONG");
        return once;
    }

    @SuppressWarnings("unchecked")
    private static long send(ConfigurableApplicationContext application) {
        KafkaTemplate<String, String> kafka = application.getBean(KafkaTemplate.class);
        List<CompletableFuture<?>> sent = new ArrayList<>();
        for (int copy = 0; copy < 3; copy++) {
            for (int order = 0; order < ORDERS; order++) {
                if (order % 3 < copy) {
                    continue; // a third of the orders once, a third twice, a third three times
                }
                ProducerRecord<String, String> message =
                        new ProducerRecord<>("orders", "customer-" + order % 7, String.valueOf(order * 10));
                message.headers().add("order-id", ("order-" + order).getBytes(StandardCharsets.UTF_8));
                sent.add(kafka.send(message));
            }
        }
        sent.forEach(CompletableFuture::join);
        return sent.size();
    }

    /** What the group has acknowledged. */
    private static long consumed(KafkaServer kafka) throws Exception {
        try (Admin admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, kafka.bootstrapServers()))) {
            return admin.listConsumerGroupOffsets("billing").partitionsToOffsetAndMetadata().get().values().stream()
                    .mapToLong(offset -> offset == null ? 0 : offset.offset())
                    .sum();
        }
    }

    private static void say(String format, Object... arguments) {
        System.out.printf(format + "%n", arguments);
    }
}
