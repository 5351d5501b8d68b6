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
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The members that a fault plan adds to the user's group. */
class GroupGuestTest {
    private static final String STATIC = "member-1";
    private static final Map<String, Object> STICKY =
            Map.of("partition.assignment.strategy", StickyAssignor.class.getName());

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
    private void poll(String name, Map<String, Object> protocol) {
        Map<String, Object> config = scene.consumerConfig();
        config.put("enable.auto.commit", false);
        config.put("group.instance.id", name);
        config.remove("heartbeat.interval.ms"); // by default 3 s
        config.remove("session.timeout.ms"); // the newer protocol has neither
        config.putAll(protocol);
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

    private KafkaTraffic traffic() {
        return KafkaTraffic.of(scene.bootstrap)
                .group(scene.group)
                .ids(KafkaMessageIds.header("id"))
                .records(n -> new ProducerRecord<>(scene.topic, "v"));
    }

    @Test
    @DisplayName("a guest of a group that nobody has joined says that it took no partitions")
    void nobodyJoined() {
        try (Traffic traffic = traffic().build()) {
            assertThat(traffic.visit(Duration.ofMillis(300), Scene.PATIENCE)).isFalse();
        }
    }

    static List<Map<String, Object>> protocols() {
        return List.of(
                Map.of("partition.assignment.strategy", CooperativeStickyAssignor.class.getName()),
                Map.of("group.protocol", "consumer"));
    }

    @ParameterizedTest
    @MethodSource("protocols")
    @DisplayName("a guest takes partitions where the members give them up one by one")
    void oneByOne(Map<String, Object> protocol) throws Exception {
        CompletableFuture<Void> member = CompletableFuture.runAsync(() -> poll(STATIC, protocol));
        joined.await();
        try (Traffic traffic = traffic().build()) {
            await().until(traffic::isSettled);

            assertThat(traffic.visit(Duration.ofMillis(300), Scene.PATIENCE)).isTrue();
        }
        over.set(true);
        member.get();
    }

    @Test
    @DisplayName("a guest for whom no partition is left goes, and says so")
    void noneLeft() throws Exception {
        List<CompletableFuture<Void>> members = List.of(
                CompletableFuture.runAsync(() -> poll("member-1", STICKY)),
                CompletableFuture.runAsync(() -> poll("member-2", STICKY)));
        joined.await();
        try (Traffic traffic = traffic().build()) {
            await().until(() -> traffic.members().size() == 2 && traffic.isSettled());

            assertThat(traffic.visit(Duration.ofMillis(300), Scene.PATIENCE)).isFalse();
        }
        over.set(true);
        for (CompletableFuture<Void> member : members) {
            member.get();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"enable.auto.commit=true", "group.instance.id=" + STATIC, "group.id=another"})
    @DisplayName("whatever settings a guest gets, it joins the group as a new member and commits nothing")
    void settings(String setting) throws Exception {
        for (int i = 0; i < 20; i++) {
            scene.sendTo(i % 2, "m" + i);
        }
        CompletableFuture<Void> member = CompletableFuture.runAsync(() -> poll(STATIC, Map.of()));
        joined.await();
        Map<String, Object> guests = new HashMap<>(Map.of("auto.commit.interval.ms", 50, "fetch.max.wait.ms", 50));
        guests.put(setting.split("=")[0], setting.split("=")[1]);
        try (Traffic traffic = traffic().guests(guests).build()) {
            // A stay much shorter than the members' heartbeats take to call them to the rebalance.
            assertThat(traffic.visit(Duration.ofMillis(300), Scene.PATIENCE)).isTrue();

            assertThat(revoked).isTrue();
            assertThat(member).isNotDone(); // another member with its name would have fenced it
            assertThat(traffic.members()).hasSize(1);
        }
        assertThat(scene.committed()).isEmpty();
        over.set(true);
        member.get();
    }
}
