package io.dedup.kafka.clients;

import static io.dedup.kafka.clients.Scene.SHORT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.kafka.id.KafkaMessageIds;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.WakeupException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A poll loop in a rebalance")
class RebalanceTest {
    private final Scene scene = new Scene(1);
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void close() throws Exception {
        threads.shutdown();
        scene.close();
    }

    private class Events implements ConsumerRebalanceListener {
        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            events.add("assigned " + partitions.size());
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            events.add("revoked " + partitions.size() + ", committed " + scene.committed(0));
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            events.add("lost " + partitions.size());
        }
    }

    @Test
    @DisplayName("commits what is handled before the partition goes, and then calls the application's listener")
    void revoked() {
        scene.send(0, "a");
        FaultyConsumer faulty = new FaultyConsumer(scene.consumer(Map.of()));
        faulty.fail("commitSync", RebalanceInProgressException::new);
        DedupPoll<String, String> poll = scene.open(scene.builder().rebalanceListener(new Events()), faulty.consumer);
        scene.pollUntil(poll, () -> !scene.effects.isEmpty());
        assertThat(scene.committed(0)).isZero();

        faulty.consumer.unsubscribe(); // calls back as a rebalance does

        assertThat(events).containsExactly("assigned 1", "revoked 1, committed 1");
    }

    @Test
    @DisplayName("commits in spite of a wake-up in the callback, and throws the wake-up")
    void wokenUpInCallback() {
        scene.send(0, "a");
        FaultyConsumer faulty = new FaultyConsumer(scene.consumer(Map.of()));
        faulty.fail("commitSync", RebalanceInProgressException::new);
        faulty.fail("commitSync", WakeupException::new);
        DedupPoll<String, String> poll = scene.open(scene.builder().rebalanceListener(new Events()), faulty.consumer);
        scene.pollUntil(poll, () -> !scene.effects.isEmpty());
        faulty.consumer.unsubscribe();
        assertThat(events).contains("revoked 1, committed 1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    @DisplayName("a consumer that was expelled while it handled a record doesn't commit, and the next one skips it")
    void lost(String protocol) throws Exception {
        Map<String, Object> impatient =
                new HashMap<>(Map.of("max.poll.interval.ms", 5_000, "group.protocol", protocol));
        if (protocol.equals("classic")) {
            impatient.put("heartbeat.interval.ms", 200);
        }
        scene.send(0, "a", "b");
        AtomicBoolean otherHasPartition = new AtomicBoolean();
        FaultyConsumer slowConsumer = new FaultyConsumer(scene.consumer(impatient));
        DedupPoll<String, String> slow =
                scene.open(scene.builder().rebalanceListener(new Events()), slowConsumer.consumer);
        DedupPoll<String, String> other = scene.closing(DedupPoll.builder(scene.deduplicator())
                .id(KafkaMessageIds.key())
                .rebalanceListener(new Events() {
                    @Override
                    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
                        otherHasPartition.compareAndSet(false, !partitions.isEmpty());
                    }
                })
                .open(scene.consumer(Map.of("group.protocol", protocol)), List.of(scene.topic)));
        AtomicBoolean slowHasEnded = new AtomicBoolean();
        AtomicBoolean handling = new AtomicBoolean();
        Future<?> slowly = threads.submit(() -> {
            scene.pollUntil(
                    slow,
                    record -> {
                        handling.set(true);
                        await().until(otherHasPartition::get);
                        scene.effect(record);
                    },
                    () -> !scene.effects.isEmpty());
            slowHasEnded.set(true);
        });
        await().until(handling::get);
        await().pollInSameThread().until(() -> {
            int handled = other.poll(SHORT, scene::effect);
            assertThat(handled == 0 || slowHasEnded.get() || !scene.effects.isEmpty())
                    .isTrue();
            return scene.committed(0) == 2;
        });
        slowly.get();
        scene.pollUntil(slow, () -> events.stream().anyMatch(each -> each.startsWith("lost")));
        long commits = slowConsumer.count("commitSync");
        assertThat(commits).isPositive();
        scene.pollUntil(slow, () -> slowConsumer.count("poll") > 20);
        assertThat(slowConsumer.count("commitSync")).isEqualTo(commits);

        assertThat(scene.effects).containsExactlyInAnyOrder("a", "b");
        assertThat(scene.committed(0)).isEqualTo(2);
    }
}
