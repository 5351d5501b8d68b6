package io.dedup.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.testkit.replay.ReplayReport;
import io.dedup.testkit.replay.Timeline;
import io.dedup.testkit.replay.TopicReplay;
import io.dedup.testkit.spring.KafkaReplays;
import io.dedup.testkit.spring.WithReplays;
import io.dedup.testservers.kafka.KafkaServers;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** The testkit's annotation, on an application as a user writes it. */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE)
@WithReplays
class ReplayTest {
    private static final String TOPIC = "invoices-" + UUID.randomUUID();
    private static final List<String> INVOICES = new CopyOnWriteArrayList<>();

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration(excludeName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
    static class App {
        @KafkaListener(id = "invoicing", topics = "${topic}")
        void bill(String order) {
            INVOICES.add(order);
        }
    }

    @DynamicPropertySource
    static void properties(DynamicPropertyRegistry registry) {
        KafkaServers.shared().createTopic(TOPIC, 1);
        registry.add("topic", () -> TOPIC);
        registry.add(
                "spring.kafka.bootstrap-servers", () -> KafkaServers.shared().bootstrapServers());
        registry.add("spring.kafka.consumer.auto-offset-reset", () -> "earliest");
        registry.add("dedup.store", () -> "memory");
        registry.add("dedup.topics.[" + TOPIC + "].id", () -> "key");
    }

    @Autowired
    private KafkaReplays replays;

    @Autowired
    private Timeline timeline;

    @Autowired
    private KafkaTemplate<String, String> kafka;

    @Test
    void billsOnceHoweverOftenAnOrderComes() {
        for (String order : List.of("o1", "o2", "o1")) {
            kafka.send(TOPIC, order, order).orTimeout(60, TimeUnit.SECONDS).join();
        }

        try (TopicReplay replay = replays.of("invoicing") // the id of the @KafkaListener
                .ids(KafkaMessageIds.key())
                .effects(() -> INVOICES) // or: SELECT order_id FROM invoice
                .build()) {
            replay.all().times(2).byRewinding().assertThat().handledOncePerId().ackedDuplicates();
        }

        assertThat(timeline.events("invoicing", TOPIC, "o1")).isNotEmpty();
        try (TopicReplay replay =
                replays.of("invoicing").ids(KafkaMessageIds.key()).build()) {
            ReplayReport byTimeline = replay.all().bySendingAgain();
            byTimeline.assertThat().handledOncePerId().ackedDuplicates();
        }
        assertThatThrownBy(() -> replays.of("nobody"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("invoicing");
    }
}
