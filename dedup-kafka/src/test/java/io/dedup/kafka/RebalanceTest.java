package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.adapter.DedupAdapter;
import io.dedup.kafka.id.KafkaMessageIds;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.MessageListener;

/** Consumers that lose partitions, stop, or come and go, while handlers run. */
class RebalanceTest {
    private final CountDownLatch finish = new CountDownLatch(1);
    private final AtomicBoolean first = new AtomicBoolean(true);

    /** The first call waits. */
    private Object blocking(Scene scene, boolean batch) {
        return batch
                ? (BatchMessageListener<String, String>) records -> records.forEach(record -> handle(scene, record))
                : (MessageListener<String, String>) record -> handle(scene, record);
    }

    private void handle(Scene scene, ConsumerRecord<String, String> record) {
        if (first.compareAndSet(true, false)) {
            scene.events.add("blocked");
            try {
                assertThat(finish.await(30, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        scene.effect().accept(record);
    }

    @ParameterizedTest(name = "batch={0}")
    @ValueSource(booleans = {true, false})
    @DisplayName(
            "K12 a handler longer than max.poll.interval.ms: the successor defers until it is done, and runs nothing twice")
    void longHandler(boolean batch) {
        try (Scene scene = new Scene()) {
            scene.send("a", "b");
            var slow = scene.start(scene.container(
                    scene.properties(AckMode.BATCH, blocking(scene, batch)), Map.of("max.poll.interval.ms", 1000)));
            await().until(() -> scene.events.contains("blocked"));
            scene.start(scene.container(AckMode.BATCH, blocking(scene, batch)));
            await().until(() -> scene.deferrals.size() >= 20);
            assertThat(scene.effects).isEmpty();
            finish.countDown();
            scene.awaitCommitted(2);
            assertThat(scene.effects).containsExactlyInAnyOrder("a", "b");
            assertThat(slow.isRunning()).isTrue();
        }
    }

    @Test
    @DisplayName(
            "K15 a stop while a handler runs: its claim is kept until it returns, and the next consumer waits for it")
    void stopInFlight() {
        try (Scene scene = new Scene()) {
            scene.send("a", "b");
            var properties = scene.properties(AckMode.RECORD, blocking(scene, false));
            properties.setShutdownTimeout(100);
            properties.setStopImmediate(true);
            var stopped = scene.start(scene.container(properties, Map.of("session.timeout.ms", 1000)));
            await().until(() -> scene.events.contains("blocked"));
            stopped.stop();
            assertThat(scene.store
                            .find(scene.dedup.key(scene.topic, "a"))
                            .orElseThrow()
                            .state())
                    .isEqualTo(io.dedup.store.StoredRecord.State.PROCESSING);
            assertThat(scene.events).doesNotContain("released a");
            await("what waited behind it is given back")
                    .until(() -> DedupAdapter.of(scene.dedup).inFlight() == 1);
            var config = scene.consumerConfig();
            var assigned = new org.springframework.kafka.listener.ContainerProperties(
                    new org.springframework.kafka.support.TopicPartitionOffset(scene.topic, 0, 0L));
            assigned.setMessageListener(blocking(scene, false));
            config.remove("group.id");
            var next = new org.springframework.kafka.listener.KafkaMessageListenerContainer<String, String>(
                    new org.springframework.kafka.core.DefaultKafkaConsumerFactory<>(
                            config,
                            new org.apache.kafka.common.serialization.StringDeserializer(),
                            new org.apache.kafka.common.serialization.StringDeserializer()),
                    assigned);
            var otherProcess = scene.closeLater(scene.deduplicator(policy -> policy));
            scene.closeLater(KafkaDedup.builder(otherProcess)
                            .id(KafkaMessageIds.header("id"))
                            .build())
                    .decorate(next);
            scene.start(next);
            await().until(() -> scene.deferrals.size() >= 5);
            assertThat(scene.effects).isEmpty();
            finish.countDown();
            scene.awaitEffects("a", "b");
        }
    }

    @ParameterizedTest(name = "batch={0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("K12 K15 consumers come and go under load: every message takes effect once, and all is committed")
    void comingAndGoing(boolean batch) {
        try (Scene scene = new Scene(4, policy -> policy.inFlightWait(java.time.Duration.ofMillis(20)))) {
            first.set(false);
            int each = 150;
            for (int i = 0; i < each; i++) {
                for (int partition = 0; partition < 4; partition++) {
                    scene.sendTo(partition, partition + "-" + i);
                }
                if (i % 3 == 0) {
                    scene.sendTo((i / 3) % 4, (i % 4) + "-" + (i / 2)); // resent, also to another partition
                }
            }
            List<ConcurrentMessageListenerContainer<String, String>> members = new java.util.ArrayList<>();
            for (int i = 0; i < 3; i++) {
                var member = scene.container(
                        scene.properties(i == 0 || batch ? AckMode.BATCH : AckMode.RECORD, blocking(scene, batch)),
                        Map.of("max.poll.records", 20));
                member.setConcurrency(2);
                members.add(scene.start(member));
                int seen = scene.effects.size();
                await().until(() -> scene.effects.size() > seen || scene.effects.size() == 600);
                if (i > 0) {
                    members.get(i - 1).stop();
                }
            }
            scene.awaitAllCommitted();
            assertThat(scene.effects).hasSize(4 * each).doesNotHaveDuplicates();
        }
    }
}
