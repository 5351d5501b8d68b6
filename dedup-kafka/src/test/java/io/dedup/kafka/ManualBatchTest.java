package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.adapter.WaitBudget;
import io.dedup.store.StoredRecord.State;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.kafka.listener.AcknowledgingMessageListener;
import org.springframework.kafka.listener.BatchAcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.BatchAcknowledgingMessageListener;
import org.springframework.kafka.listener.BatchListenerFailedException;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.util.backoff.FixedBackOff;

/** What a batch's acknowledgment stands for while the handler still works on earlier polls. */
class ManualBatchTest {
    private final List<List<String>> calls = new CopyOnWriteArrayList<>();

    private final List<Acknowledgment> acks = new CopyOnWriteArrayList<>();
    private final List<String> recovered = new CopyOnWriteArrayList<>();

    private static State state(Scene scene, String id) {
        return scene.store.find(scene.dedup.key(scene.topic, id)).orElseThrow().state();
    }

    @Test
    @DisplayName("K5 K6 an ack doesn't finish what is below a duplicate that the handler hasn't seen")
    void duplicateInAnotherPartition() {
        try (Scene scene = new Scene(2, policy -> policy)) {
            scene.runningElsewhere("done").succeed(null, WaitBudget.none());
            scene.sendTo(1, "x");
            var container = scene.container(AckMode.MANUAL, (BatchAcknowledgingMessageListener<String, String>)
                    (records, ack) -> {
                        calls.add(records.stream().map(Scene::id).toList());
                        if (Scene.id(records.get(0)).equals("y")) {
                            ack.acknowledge();
                        } // x is with a worker
                    });
            scene.start(container);
            await().until(() -> calls.contains(List.of("x")));
            container.pause();
            await().until(container::isContainerPaused);
            scene.sendTo(0, "y");
            scene.sendTo(1, "done");
            container.resume();
            await().until(() -> calls.contains(List.of("y")) && state(scene, "y") == State.DONE);
            scene.sendTo(0, "z"); // a poll later, so that what the ack commits is committed
            await().until(() -> calls.contains(List.of("z")));
            assertThat(state(scene, "x")).isEqualTo(State.PROCESSING);
            assertThat(scene.committed()).doesNotContainEntry(1, 2L);
        }
    }

    @Test
    @DisplayName("K4 K6 nack(0) acknowledges nothing, also when a duplicate is in front of the handler's list")
    void nackOfTheFirst() {
        try (Scene scene = new Scene()) {
            scene.runningElsewhere("done").succeed(null, WaitBudget.none());
            AtomicInteger nacks = new AtomicInteger();
            CountDownLatch sent = new CountDownLatch(1);
            var container = scene.container(AckMode.MANUAL, (BatchAcknowledgingMessageListener<String, String>)
                    (records, ack) -> {
                        List<String> ids = records.stream().map(Scene::id).toList();
                        calls.add(ids);
                        if (ids.contains("gate")) {
                            awaitLatch(sent);
                        } else if (ids.contains("y") && nacks.incrementAndGet() == 1) {
                            ack.nack(0, Duration.ofMillis(10));
                            return;
                        }
                        acks.add(ack);
                    });
            scene.start(container);
            scene.send("x");
            await().until(() -> calls.contains(List.of("x")));
            scene.send("gate");
            await().until(() -> calls.contains(List.of("gate")));
            scene.send("done", "y");
            sent.countDown();
            await().until(() -> nacks.get() == 2);
            assertThat(calls).containsExactly(List.of("x"), List.of("gate"), List.of("y"), List.of("y"));
            assertThat(state(scene, "x")).isEqualTo(State.PROCESSING);
            assertThat(scene.committed()).isEmpty();
            acks.forEach(Acknowledgment::acknowledge);
            scene.awaitCommitted(4);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"MANUAL", "MANUAL_IMMEDIATE"})
    @DisplayName("K6 a duplicate in another partition doesn't hold an acknowledgment back")
    void besideADuplicate(AckMode mode) {
        try (Scene scene = new Scene(2, policy -> policy)) {
            scene.runningElsewhere("done").succeed(null, WaitBudget.none());
            List<Integer> polled = new CopyOnWriteArrayList<>();
            var container = scene.container(
                    mode, (BatchAcknowledgingMessageListener<String, String>) (records, ack) -> ack.acknowledge());
            container.setBatchInterceptor((records, consumer) -> {
                polled.add(records.count());
                return records;
            });
            scene.sendTo(0, "done");
            scene.sendTo(1, "a");
            scene.start(container);
            await().untilAsserted(() -> assertThat(scene.committed()).isEqualTo(Map.of(0, 1L, 1, 1L)));
            assertThat(polled).containsExactly(2);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"MANUAL", "MANUAL_IMMEDIATE"})
    @DisplayName("K6 an acknowledgment that another partition has held back doesn't move this one back")
    void heldBackByAnotherPartition(AckMode mode) {
        try (Scene scene = new Scene(2, policy -> policy)) {
            var container =
                    scene.container(mode, (BatchAcknowledgingMessageListener<String, String>) (records, ack) -> {
                        calls.add(records.stream().map(Scene::id).toList());
                        if (Scene.id(records.get(0)).equals("x")) {
                            acks.add(ack); // with a worker
                        } else {
                            ack.acknowledge();
                        }
                    });
            scene.start(container);
            scene.sendTo(0, "x");
            await().until(() -> calls.contains(List.of("x")));
            container.pause();
            await().until(container::isContainerPaused);
            scene.sendTo(0, "x");
            scene.sendTo(1, "a");
            container.resume();
            await().until(() -> calls.contains(List.of("a")));
            scene.sendTo(1, "b");
            await().untilAsserted(() -> assertThat(scene.committed()).isEqualTo(Map.of(1, 2L)));
            acks.get(0).acknowledge();
            await().untilAsserted(() -> assertThat(scene.committed()).containsEntry(0, 2L));
            assertThat(scene.committed()).containsEntry(1, 2L);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"MANUAL", "MANUAL_IMMEDIATE"})
    @DisplayName("K6 K22 a partition of an acknowledged batch is sought back: the others are committed")
    void anotherPartitionIsSoughtBack(AckMode mode) {
        try (Scene scene = new Scene(2, policy -> policy)) {
            AtomicInteger seeks = new AtomicInteger();
            var container = scene.container(mode, (BatchAcknowledgingConsumerAwareMessageListener<String, String>)
                    (records, ack, consumer) -> {
                        List<String> ids = records.stream().map(Scene::id).toList();
                        calls.add(ids);
                        if (ids.contains("a")) {
                            ack.acknowledge();
                        } else if (ids.contains("y") && seeks.getAndIncrement() == 0) {
                            consumer.seek(new TopicPartition(scene.topic, 0), 0);
                        } else {
                            acks.add(ack); // with a worker
                        }
                    });
            scene.start(container);
            scene.sendTo(0, "x");
            await().until(() -> calls.contains(List.of("x")));
            container.pause();
            await().until(container::isContainerPaused);
            scene.sendTo(0, "x");
            scene.sendTo(1, "a");
            container.resume();
            await().until(() -> calls.contains(List.of("a")));
            scene.sendTo(0, "y");
            await().untilAsserted(() -> assertThat(scene.committed()).isEqualTo(Map.of(1, 1L)));
            await().until(() -> calls.contains(List.of("x", "y")));
            acks.get(acks.size() - 1).acknowledge();
            await().untilAsserted(() -> assertThat(scene.committed()).isEqualTo(Map.of(0, 3L, 1, 1L)));
        }
    }

    @ParameterizedTest(name = "up to {0}")
    @ValueSource(ints = {0, 1, 3})
    @DisplayName("K6 the acknowledgment of the batch after a partial one acknowledges all the rest")
    void restAfterAPart(int first) {
        try (Scene scene = new Scene()) {
            scene.send("a", "b", "c", "d");
            List<Object> outcomes = new CopyOnWriteArrayList<>();
            scene.start(scene.container(AckMode.MANUAL_IMMEDIATE, (BatchAcknowledgingMessageListener<String, String>)
                    (records, ack) -> {
                        try {
                            ack.acknowledge(first);
                            ack.acknowledge();
                            outcomes.add(scene.committed());
                        } catch (RuntimeException e) {
                            outcomes.add(e);
                            throw e;
                        }
                    }));
            await().until(() -> !outcomes.isEmpty());
            assertThat(outcomes.get(0)).isEqualTo(Map.of(0, 4L));
            assertThat(scene.store
                            .find(scene.dedup.key(scene.topic, "d"))
                            .orElseThrow()
                            .state())
                    .isEqualTo(State.DONE);
        }
    }

    @Test
    @DisplayName("K6 a partial acknowledgment after that of the batch moves nothing back")
    void partlyAfterwards() {
        try (Scene scene = new Scene()) {
            scene.send("a", "b", "c");
            scene.start(scene.container(AckMode.MANUAL_IMMEDIATE, (BatchAcknowledgingMessageListener<String, String>)
                    (records, ack) -> {
                        calls.add(records.stream().map(Scene::id).toList());
                        if (records.size() > 1) {
                            ack.acknowledge();
                            ack.acknowledge(0);
                        }
                    }));
            await().until(() -> calls.contains(List.of("a", "b", "c")));
            scene.send("d"); // a poll later
            await().until(() -> calls.contains(List.of("d")));
            assertThat(scene.committed()).isEqualTo(Map.of(0, 3L));
        }
    }

    @ParameterizedTest(name = "{0}, batches {1}")
    @CsvSource({"MANUAL, true", "MANUAL, false", "MANUAL_IMMEDIATE, true", "MANUAL_IMMEDIATE, false"})
    @DisplayName("K5 K6 what another thread has acknowledged, and the container commits later, moves nothing back")
    void anotherThreadAcknowledgesBelow(AckMode mode, boolean batches) {
        try (Scene scene = new Scene()) {
            AcknowledgingMessageListener<String, String> records = (record, ack) -> {
                calls.add(List.of(Scene.id(record)));
                acks.add(ack);
                if (record.offset() == 1) {
                    CompletableFuture.runAsync(acks.get(0)::acknowledge).join(); // queued: a commit is the consumer's
                    ack.acknowledge();
                }
            };
            BatchAcknowledgingMessageListener<String, String> batch =
                    (list, ack) -> list.forEach(record -> records.onMessage(record, ack));
            scene.start(scene.container(mode, batches ? batch : records));
            for (String id : List.of("a", "b", "c")) { // each in a poll of its own
                scene.send(id);
                await().until(() -> calls.contains(List.of(id)));
            }
            assertThat(scene.committed()).isEqualTo(Map.of(0, 2L));
        }
    }

    /** x is with a worker, with its poll's ack; what comes in the next poll fails, or is rejected. */
    private void failAbove(Scene scene, BatchMessageListener<String, String> failing, Runnable next) {
        var container =
                scene.container(AckMode.MANUAL, (BatchAcknowledgingMessageListener<String, String>) (records, ack) -> {
                    List<String> ids = records.stream().map(Scene::id).toList();
                    calls.add(ids);
                    if (ids.contains("x")) {
                        acks.add(ack);
                    } else {
                        failing.onMessage(records);
                    }
                });
        container.setCommonErrorHandler(new DefaultErrorHandler(
                (record, e) -> recovered.add(String.valueOf(record.value())), new FixedBackOff(0, 0)));
        scene.start(container);
        scene.send("x");
        await().until(() -> calls.contains(List.of("x")));
        container.pause();
        await().until(container::isContainerPaused);
        next.run();
        container.resume();
        await().during(Duration.ofMillis(500)).atMost(Scene.PATIENCE).untilAsserted(() -> {
            assertThat(state(scene, "x")).isEqualTo(State.PROCESSING);
            assertThat(scene.committed()).isEmpty();
            assertThat(recovered).isEmpty();
        });
    }

    @Test
    @DisplayName("K6 a failure by index finishes what it proves done, and nothing of earlier polls")
    void failureByIndexAboveUnacknowledged() {
        try (Scene scene = new Scene()) {
            failAbove(
                    scene,
                    records -> {
                        throw new BatchListenerFailedException("z fails", records.size() - 1);
                    },
                    () -> scene.send("y", "z"));
            assertThat(state(scene, "y")).isEqualTo(State.DONE);
            assertThat(calls).contains(List.of("y", "z"), List.of("z"));
            acks.get(0).acknowledge();
            scene.awaitCommitted(3);
            assertThat(recovered).containsExactly("v-z");
            assertThat(state(scene, "x")).isEqualTo(State.DONE);
        }
    }

    @Test
    @DisplayName("K6 a failure that names no record isn't recovered past what earlier polls have left unacknowledged")
    void failureAboveUnacknowledged() {
        try (Scene scene = new Scene()) {
            failAbove(
                    scene,
                    records -> {
                        throw new IllegalStateException("for good");
                    },
                    () -> scene.send("y", "z"));
            acks.get(0).acknowledge();
            scene.awaitCommitted(3);
            assertThat(recovered).containsExactly("v-y", "v-z");
            assertThat(state(scene, "x")).isEqualTo(State.DONE);
        }
    }

    @Test
    @DisplayName("K6 a rejected record that is the first of its poll waits for what earlier polls left unacknowledged")
    void rejectedAboveUnacknowledged() {
        try (Scene scene = new Scene()) {
            failAbove(scene, records -> {}, () -> scene.send(scene.record(0, null, "no ID")));
            assertThat(calls).containsExactly(List.of("x"));
            acks.get(0).acknowledge();
            scene.awaitCommitted(2);
            assertThat(recovered).containsExactly("no ID");
        }
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
