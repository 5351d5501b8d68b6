package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.testkit.kafka.KafkaTraffic;
import io.dedup.testkit.plan.Traffic;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The members that a fault plan adds to the user's group. */
class GroupGuestTest {
    private static final String STATIC = "member-1";

    private final Scene scene = new Scene(2, policy -> policy);
    private final AtomicBoolean over = new AtomicBoolean();
    private final CountDownLatch joined = new CountDownLatch(1);
    private final AtomicBoolean revoked = new AtomicBoolean();

    @AfterEach
    void close() {
        over.set(true);
        scene.close();
    }

    /** The application's consumer, which is busy with its records and has committed nothing yet. */
    private void poll() {
        Map<String, Object> config = scene.consumerConfig();
        config.put("enable.auto.commit", false);
        config.put("group.instance.id", STATIC);
        try (var member = new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
            member.subscribe(List.of(scene.topic), new ConsumerRebalanceListener() {
                @Override
                public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
                    joined.countDown();
                }

                @Override
                public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                    revoked.set(revoked.get() || !partitions.isEmpty());
                }
            });
            while (!over.get()) {
                var unused = member.poll(Duration.ofMillis(50));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"enable.auto.commit=true", "group.instance.id=" + STATIC, "group.id=another"})
    @DisplayName("whatever settings a guest gets, it joins the group as a new member and commits nothing")
    void settings(String setting) throws Exception {
        for (int i = 0; i < 20; i++) {
            scene.sendTo(i % 2, "m" + i);
        }
        CompletableFuture<Void> member = CompletableFuture.runAsync(this::poll);
        joined.await();
        Map<String, Object> guests = new HashMap<>(Map.of("auto.commit.interval.ms", 50, "heartbeat.interval.ms", 500));
        guests.put(setting.split("=")[0], setting.split("=")[1]);
        try (Traffic traffic = KafkaTraffic.of(scene.bootstrap)
                .group(scene.group)
                .ids(KafkaMessageIds.header("id"))
                .records(n -> new ProducerRecord<>(scene.topic, "v"))
                .guests(guests)
                .build()) {
            await().atMost(Scene.PATIENCE).until(() -> {
                traffic.visit(Duration.ofSeconds(2));
                return revoked.get() || member.isDone();
            });

            assertThat(member).isNotDone(); // another member with its name would have fenced it
            assertThat(traffic.members()).hasSize(1);
        }
        assertThat(scene.committed()).isEmpty();
        over.set(true);
        member.get();
    }
}
