package io.dedup.examples.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.modulith.events.IncompleteEventPublications;

/** On Artemis, with Spring Modulith's table of publications. */
@TestInstance(Lifecycle.PER_CLASS)
class ShopTest {
    private static final Duration SOON = Duration.ofMinutes(3);
    private static final AtomicInteger DUPLICATES = new AtomicInteger();

    @Configuration(proxyBeanMethods = false)
    static class Counting {
        @Bean
        DedupListener duplicates() {
            return new DedupListener() {
                @Override
                public void duplicate(DedupKey key, Instant completedAt, @Nullable String firstRun) {
                    DUPLICATES.incrementAndGet();
                }
            };
        }
    }

    private ConfigurableApplicationContext shop;
    private JdbcTemplate database;

    @BeforeAll
    void start() {
        shop = new SpringApplicationBuilder(ShopApplication.class, Counting.class)
                .properties("spring.main.web-application-type=none")
                .run();
        database = shop.getBean(JdbcTemplate.class);
    }

    @AfterAll
    void stop() {
        shop.close();
    }

    private void send(String order, String orderId) {
        shop.getBean(JmsTemplate.class).convertAndSend("orders", order, message -> {
            message.setStringProperty("orderId", orderId);
            return message;
        });
    }

    private List<String> ids(String table, String like) {
        return database.queryForList(
                "SELECT order_id FROM " + table + " WHERE order_id LIKE ? ORDER BY order_id", String.class, like);
    }

    @Test
    @DisplayName(
            "messages that are sent twice, and listeners that fail the first time: each order is reserved and mailed once")
    void jms() {
        int before = DUPLICATES.get();
        for (int i = 0; i < 20; i++) {
            String order = (i % 5 == 0 ? "fail " : "order ") + i;
            send(order, "jms-" + i);
            send(order, "jms-" + i);
        }
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(ids("mail", "jms-%")).hasSize(20));
        await().atMost(SOON).until(() -> DUPLICATES.get() >= before + 20);
        assertThat(ids("reservation", "jms-%")).doesNotHaveDuplicates().hasSize(20);
        assertThat(ids("mail", "jms-%")).doesNotHaveDuplicates().hasSize(20);
    }

    @Test
    @DisplayName(
            "an event that is published again, because its process died before it was marked: mailed once, and marked")
    void eventPublishedAgain() {
        send("order", "crash-1");
        await().atMost(SOON)
                .until(() ->
                        incomplete("crash-1") == 0 && ids("mail", "crash-1").size() == 1);
        int before = DUPLICATES.get();
        database.update(
                "UPDATE event_publication SET completion_date = NULL, status = 'PUBLISHED' WHERE serialized_event LIKE '%crash-1%'");
        assertThat(incomplete("crash-1")).isEqualTo(1);

        shop.getBean(IncompleteEventPublications.class).resubmitIncompletePublications(each -> true);

        await().atMost(SOON).until(() -> incomplete("crash-1") == 0);
        assertThat(DUPLICATES.get()).isGreaterThan(before);
        assertThat(ids("mail", "crash-1")).hasSize(1);
    }

    @Test
    @DisplayName("an event whose listener failed stays incomplete, and is mailed when it is published again")
    void eventFailed() {
        send("order", "bounce-1");
        await().atMost(SOON).until(() -> FirstTimes.isOver("bounce-1") && incomplete("bounce-1") == 1);
        assertThat(ids("mail", "bounce-1")).isEmpty();

        await().atMost(SOON).until(() -> {
            shop.getBean(IncompleteEventPublications.class).resubmitIncompletePublications(each -> true);
            return incomplete("bounce-1") == 0;
        });
        assertThat(ids("mail", "bounce-1")).hasSize(1);
    }

    private int incomplete(String orderId) {
        Integer count = database.queryForObject(
                "SELECT count(*) FROM event_publication WHERE completion_date IS NULL AND serialized_event LIKE ?",
                Integer.class,
                "%" + orderId + "%");
        return count == null ? -1 : count;
    }
}
