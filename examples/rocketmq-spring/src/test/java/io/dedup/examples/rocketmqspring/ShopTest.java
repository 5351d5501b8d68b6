package io.dedup.examples.rocketmqspring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.testservers.rocketmq.RocketMqServer;
import io.dedup.testservers.rocketmq.RocketMqServer.TopicType;
import io.dedup.testservers.rocketmq.RocketMqServers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.rocketmq.spring.core.RocketMQTemplate;
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
import org.springframework.messaging.Message;
import org.springframework.messaging.support.MessageBuilder;

/** On a RocketMQ that the build starts. */
@TestInstance(Lifecycle.PER_CLASS)
class ShopTest {
    private static final Duration SOON = Duration.ofMinutes(3);
    private static final int REQUEST_MILLIS = 30_000;
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
    private RocketMQTemplate template;

    @BeforeAll
    void start() {
        RocketMqServer server = RocketMqServers.shared();
        server.createTopic("orders", TopicType.NORMAL, 2);
        server.createTopic("reservations", TopicType.NORMAL, 1);
        shop = new SpringApplicationBuilder(ShopApplication.class, Counting.class)
                .run("--rocketmq.name-server=" + server.nameServerAddress());
        template = shop.getBean(RocketMQTemplate.class);
    }

    @AfterAll
    void stop() {
        shop.close();
    }

    private static Message<ShopApplication.Order> order(String item, String property, String id) {
        return MessageBuilder.withPayload(new ShopApplication.Order(item, 1))
                .setHeader(property, id)
                .build();
    }

    private List<String> booked() {
        return shop.getBean(JdbcTemplate.class).queryForList("SELECT item FROM booking ORDER BY item", String.class);
    }

    @Test
    @DisplayName("orders that are sent twice, and listeners that fail at first: each order is booked once")
    void bookings() {
        int before = DUPLICATES.get();
        for (int i = 0; i < 10; i++) {
            Message<?> order = order((i % 5 == 0 ? "fail " : "order ") + i, "order-id", "o" + i);
            template.syncSend("orders", order);
            template.syncSend("orders", order);
        }
        await().atMost(SOON).until(() -> DUPLICATES.get() >= before + 10);
        await().atMost(SOON).untilAsserted(() -> assertThat(booked()).hasSize(10));
        assertThat(booked()).doesNotHaveDuplicates();
    }

    @Test
    @DisplayName("a request that is sent again gets the first reply, and makes no second reservation")
    void reservations() {
        Message<?> request = order("table", "request-id", "r1");
        assertThat(reserve(request)).isEqualTo("table reservation 1");
        assertThat(reserve(request)).isEqualTo("table reservation 1");
        assertThat(reserve(order("chair", "request-id", "r2"))).isEqualTo("chair reservation 2");
    }

    private String reserve(Message<?> request) {
        return template.sendAndReceive("reservations", request, String.class, REQUEST_MILLIS);
    }
}
