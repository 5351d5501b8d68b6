package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Execution;
import io.dedup.store.StoredRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.kafka.listener.AcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.AcknowledgingMessageListener;
import org.springframework.kafka.listener.BatchAcknowledgingMessageListener;
import org.springframework.kafka.listener.BatchListenerFailedException;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.CommonLoggingErrorHandler;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.util.backoff.FixedBackOff;

/** In the manual ack modes a message is done when it is acknowledged: not earlier, and not by its handler's return. */
class ManualAckTest {
    private final List<Acknowledgment> acks = new CopyOnWriteArrayList<>();

    private AcknowledgingMessageListener<String, String> collecting(Scene scene) {
        return (record, ack) -> {
            scene.effect().accept(record);
            acks.add(ack);
        };
    }

    private static StoredRecord.State state(Scene scene, String id) {
        return scene.store.find(scene.dedup.key(scene.topic, id)).orElseThrow().state();
    }

    @ParameterizedTest
    @EnumSource(
            value = AckMode.class,
            names = {"MANUAL", "MANUAL_IMMEDIATE"})
    @DisplayName(
            "K5 returned but not acknowledged: not done; acknowledged from another thread: done before it is committed")
    void doneWhenAcknowledged(AckMode mode) {
        try (Scene scene = new Scene()) {
            scene.send("a");
            scene.start(scene.container(mode, collecting(scene)));
            scene.awaitEffects("a");
            await().during(Duration.ofMillis(300))
                    .atMost(Scene.PATIENCE)
                    .untilAsserted(() -> assertThat(state(scene, "a")).isEqualTo(StoredRecord.State.PROCESSING));
            assertThat(scene.committed()).isEmpty();
            acks.get(0).acknowledge();
            assertThat(state(scene, "a")).as("before the ack returns").isEqualTo(StoredRecord.State.DONE);
            scene.awaitCommitted(1);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = AckMode.class,
            names = {"MANUAL", "MANUAL_IMMEDIATE"})
    @DisplayName("K5 follow: a copy of one that isn't acknowledged yet is neither deferred nor acked before it")
    void copyFollowsItsFirst(AckMode mode) {
        try (Scene scene = new Scene(2, policy -> policy)) {
            scene.sendTo(0, "a");
            var container = scene.start(scene.container(mode, collecting(scene)));
            scene.awaitEffects("a");
            scene.sendTo(0, "a");
            scene.sendTo(1, "a");
            scene.sendTo(1, "b");
            scene.awaitEffects("a", "b"); // the copy doesn't hold anything up
            acks.get(1).acknowledge(); // b, which lies above the copy of a in its partition
            scene.sendTo(0, "c");
            scene.awaitEffects("a", "b", "c");
            await().during(Duration.ofMillis(300))
                    .atMost(Scene.PATIENCE)
                    .untilAsserted(() -> assertThat(scene.committed()).isEmpty());
            assertThat(scene.deferrals).isEmpty();
            acks.get(0).acknowledge(); // a
            await().until(() -> scene.committed().equals(Map.of(0, 2L, 1, 2L)));
            acks.get(2).acknowledge();
            await().until(() -> scene.committed().equals(Map.of(0, 3L, 1, 2L)));
            assertThat(container.isRunning()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = AckMode.class,
            names = {"MANUAL", "MANUAL_IMMEDIATE"})
    @DisplayName("K5 a duplicate's ack doesn't commit past a record below it that isn't acknowledged")
    void duplicateAboveUnacknowledged(AckMode mode) {
        try (Scene scene = new Scene()) {
            scene.runningElsewhere("done").succeed(null, io.dedup.adapter.WaitBudget.none());
            scene.send("a", "done", "b");
            scene.start(scene.container(mode, collecting(scene)));
            scene.awaitEffects("a", "b");
            await().during(Duration.ofMillis(300))
                    .atMost(Scene.PATIENCE)
                    .untilAsserted(() -> assertThat(scene.committed()).isEmpty());
            acks.get(0).acknowledge();
            scene.awaitCommitted(2);
        }
    }

    enum GivesUp {
        LOGS,
        RECOVERS,
        RECOVERS_ALONE,
        RECOVERS_AND_COMMITS
    }

    /** None of them retries. */
    private static CommonErrorHandler thatGivesUp(GivesUp how) {
        DefaultErrorHandler recovering = new DefaultErrorHandler((record, failure) -> {}, new FixedBackOff(0, 0));
        recovering.setSeekAfterError(how != GivesUp.RECOVERS_ALONE);
        recovering.setCommitRecovered(how == GivesUp.RECOVERS_AND_COMMITS);
        return how == GivesUp.LOGS ? new CommonLoggingErrorHandler() : recovering;
    }

    @ParameterizedTest
    @CsvSource({"MANUAL, LOGS", "MANUAL, RECOVERS", "MANUAL, RECOVERS_ALONE", "MANUAL_IMMEDIATE, RECOVERS_AND_COMMITS"})
    @DisplayName("K5 an error handler gives up a record: that doesn't commit past one below it that isn't acknowledged")
    void givenUpAboveUnacknowledged(AckMode mode, GivesUp how) {
        try (Scene scene = new Scene()) {
            List<Map<Integer, Long>> committed = new CopyOnWriteArrayList<>();
            AcknowledgingMessageListener<String, String> listener = (record, ack) -> {
                if (Scene.id(record).equals("bad")) {
                    throw new IllegalStateException("cannot handle it");
                }
                committed.add(scene.committed());
                acks.add(ack);
                scene.effect().accept(record);
            };
            scene.send("a", "bad", "c");
            var container = scene.container(scene.properties(mode, listener), Map.of("max.poll.records", 1));
            container.setCommonErrorHandler(thatGivesUp(how));
            scene.start(container);
            scene.awaitEffects("a", "c");
            assertThat(committed).as("what was committed when c arrived").containsExactly(Map.of(), Map.of());
            acks.get(1).acknowledge();
            scene.awaitCommitted(3);
            assertThat(state(scene, "a")).isEqualTo(StoredRecord.State.DONE);
        }
    }

    @Test
    @DisplayName("K5 an ack stands for everything below it, as its contract says: all of that is done")
    void ackIsCumulative() {
        try (Scene scene = new Scene()) {
            scene.send("a", "b", "c");
            scene.start(scene.container(AckMode.MANUAL, collecting(scene)));
            scene.awaitEffects("a", "b", "c");
            acks.get(1).acknowledge();
            assertThat(state(scene, "a")).isEqualTo(StoredRecord.State.DONE);
            assertThat(state(scene, "c")).isEqualTo(StoredRecord.State.PROCESSING);
            scene.awaitCommitted(2);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = AckMode.class,
            names = {"MANUAL", "MANUAL_IMMEDIATE"})
    @DisplayName(
            "K4 nack releases, and the record runs again; what is deferred behind an acknowledged one isn't committed")
    void nackReleases(AckMode mode) {
        try (Scene scene = new Scene()) {
            AtomicInteger calls = new AtomicInteger();
            scene.send("a", "b");
            scene.start(scene.container(mode, (AcknowledgingMessageListener<String, String>) (record, ack) -> {
                if (Scene.id(record).equals("a") && calls.incrementAndGet() < 3) {
                    ack.nack(Duration.ofMillis(10));
                } else {
                    scene.effect().accept(record);
                    ack.acknowledge();
                }
            }));
            scene.awaitCommitted(2);
            assertThat(scene.effects).containsExactly("a", "b");
            assertThat(scene.events.stream().filter("released a"::equals)).hasSize(2);
        }
    }

    @Test
    @DisplayName("K4 a nack sleeps while another partition is held, whose record is nacked next: both are handled")
    void nackWhileAnotherPartitionIsHeld() {
        try (Scene scene = new Scene(2, policy -> policy.maxDeferDelay(Duration.ofMillis(100)))) {
            Execution elsewhere = scene.runningElsewhere("held");
            AtomicInteger heldRuns = new AtomicInteger();
            AtomicBoolean slept = new AtomicBoolean();
            scene.sendTo(0, "held");
            var container = scene.container(AckMode.MANUAL, (AcknowledgingConsumerAwareMessageListener<String, String>)
                    (record, ack, consumer) -> {
                        boolean isHeld = consumer.paused().stream().anyMatch(each -> each.partition() == 0);
                        if (Scene.id(record).equals("nacked") && !slept.get()) {
                            if (isHeld) {
                                elsewhere.fail(new IllegalStateException("the hold ends during the sleep"));
                                slept.set(true);
                            }
                            ack.nack(isHeld ? Duration.ofSeconds(2) : Duration.ZERO);
                        } else if (Scene.id(record).equals("held") && heldRuns.incrementAndGet() == 1) {
                            ack.nack(Duration.ofMillis(10));
                        } else {
                            scene.effect().accept(record);
                            ack.acknowledge();
                        }
                    });
            scene.start(container);
            await().until(() -> !scene.deferrals.isEmpty());
            scene.sendTo(1, "nacked");

            await().untilAsserted(() -> assertThat(scene.effects).containsExactlyInAnyOrder("held", "nacked"));
        }
    }

    @Test
    @DisplayName("K4 nack of an earlier record is refused: the container would deliver another one again")
    void nackOfEarlier() {
        try (Scene scene = new Scene()) {
            List<Throwable> refused = new CopyOnWriteArrayList<>();
            scene.send("a", "b");
            scene.start(scene.container(AckMode.MANUAL, (AcknowledgingMessageListener<String, String>)
                    (record, ack) -> {
                        scene.effect().accept(record);
                        acks.add(ack);
                        if (acks.size() == 2) {
                            try {
                                acks.get(0).nack(Duration.ZERO);
                            } catch (IllegalStateException e) {
                                refused.add(e);
                            }
                        }
                    }));
            scene.awaitEffects("a", "b");
            await().until(() -> refused.size() == 1);
            acks.get(1).acknowledge();
            scene.awaitCommitted(2);
        }
    }

    @ParameterizedTest(name = "{0}, asyncAcks {1}")
    @CsvSource({"MANUAL,false", "MANUAL,true", "MANUAL_IMMEDIATE,false", "MANUAL_IMMEDIATE,true"})
    @DisplayName("T5 a handler that acknowledges and then throws is done: it doesn't run again")
    void acknowledgedThenThrown(AckMode mode, boolean asyncAcks) {
        try (Scene scene = new Scene()) {
            scene.send("a", "b");
            ContainerProperties properties =
                    scene.properties(mode, (AcknowledgingMessageListener<String, String>) (record, ack) -> {
                        scene.effect().accept(record);
                        ack.acknowledge();
                        throw new IllegalStateException("after the ack");
                    });
            properties.setAsyncAcks(asyncAcks);
            scene.start(scene.container(properties, Map.of()));
            scene.awaitCommitted(2);
            assertThat(scene.effects).containsExactly("a", "b");
        }
    }

    private static void collect(Scene scene, List<ConsumerRecord<String, String>> records) {
        records.forEach(scene.effect());
    }

    @ParameterizedTest
    @EnumSource(
            value = AckMode.class,
            names = {"MANUAL", "MANUAL_IMMEDIATE"})
    @DisplayName("K5 K6 a batch acknowledged later, from another thread, with a batch of copies in between")
    void batchAcknowledgedLater(AckMode mode) {
        try (Scene scene = new Scene()) {
            scene.send("a", "b", "a");
            scene.start(scene.container(mode, (BatchAcknowledgingMessageListener<String, String>) (records, ack) -> {
                collect(scene, records);
                acks.add(ack);
            }));
            scene.awaitEffects("a", "b");
            scene.send("b", "a");
            scene.send("c");
            scene.awaitEffects("a", "b", "c");
            await().during(Duration.ofMillis(300))
                    .atMost(Scene.PATIENCE)
                    .untilAsserted(() -> assertThat(scene.committed()).isEmpty());
            assertThat(scene.deferrals).isEmpty();
            acks.get(0).acknowledge();
            await().until(() -> scene.committed().getOrDefault(0, 0L) >= 3);
            assertThat(state(scene, "c")).isEqualTo(StoredRecord.State.PROCESSING);
            acks.get(acks.size() - 1).acknowledge();
            scene.awaitCommitted(6);
            assertThat(scene.effects).containsExactly("a", "b", "c");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = AckMode.class,
            names = {"MANUAL", "MANUAL_IMMEDIATE"})
    @DisplayName("K5 K6 a cut batch that is acknowledged after its return is committed when it comes again")
    void cutBatchAcknowledgedLater(AckMode mode) {
        try (Scene scene = new Scene()) {
            Execution elsewhere = scene.runningElsewhere("c");
            scene.send("a", "b", "c", "d");
            scene.start(scene.container(mode, (BatchAcknowledgingMessageListener<String, String>) (records, ack) -> {
                collect(scene, records);
                acks.add(ack);
            }));
            await().until(() -> scene.deferrals.size() >= 5);
            scene.awaitEffects("a", "b");
            assertThat(scene.committed()).isEmpty();
            acks.get(0).acknowledge();
            scene.awaitCommitted(2);
            elsewhere.succeed(null, io.dedup.adapter.WaitBudget.none());
            scene.awaitEffects("a", "b", "d");
            assertThat(scene.committed()).isEqualTo(Map.of(0, 2L));
            acks.get(acks.size() - 1).acknowledge();
            scene.awaitCommitted(4);
        }
    }

    @Test
    @DisplayName(
            "K5 K6 acknowledge(index) counts the handler's list: done before, committed with the duplicates behind it")
    void partialAcknowledge() {
        try (Scene scene = new Scene()) {
            scene.runningElsewhere("x").succeed(null, io.dedup.adapter.WaitBudget.none());
            scene.send("x", "a", "x", "b", "x", "c", "x");
            List<Map<Integer, Long>> seen = new CopyOnWriteArrayList<>();
            scene.start(scene.container(AckMode.MANUAL_IMMEDIATE, (BatchAcknowledgingMessageListener<String, String>)
                    (records, ack) -> {
                        for (int i = 0; i < records.size(); i++) {
                            scene.effect().accept(records.get(i));
                            ack.acknowledge(i);
                            seen.add(scene.committed());
                        }
                    }));
            scene.awaitCommitted(7);
            assertThat(scene.effects).containsExactly("a", "b", "c");
            // The commit is visible before the handler has asked for it.
            await().untilAsserted(() -> assertThat(seen).containsExactly(Map.of(0, 3L), Map.of(0, 5L), Map.of(0, 7L)));
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = AckMode.class,
            names = {"MANUAL", "MANUAL_IMMEDIATE"})
    @DisplayName("K4 K6 nack(index) counts the handler's list: what is before is done, the rest runs again")
    void nackByIndex(AckMode mode) {
        try (Scene scene = new Scene()) {
            scene.runningElsewhere("x").succeed(null, io.dedup.adapter.WaitBudget.none());
            scene.send("x", "a", "x", "b", "c", "b");
            List<List<String>> calls = new CopyOnWriteArrayList<>();
            scene.start(scene.container(mode, (BatchAcknowledgingMessageListener<String, String>) (records, ack) -> {
                List<String> ids =
                        new ArrayList<>(records.stream().map(Scene::id).toList());
                calls.add(ids);
                if (calls.size() == 1) {
                    scene.effects.add(ids.get(0));
                    ack.nack(1, Duration.ofMillis(10));
                } else {
                    scene.effects.addAll(ids);
                    ack.acknowledge();
                }
            }));
            scene.awaitCommitted(6);
            assertThat(calls).containsExactly(List.of("a", "b", "c"), List.of("b", "c"));
            assertThat(scene.effects).containsExactly("a", "b", "c");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = AckMode.class,
            names = {"MANUAL", "MANUAL_IMMEDIATE"})
    @DisplayName("K5 K6 a batch handler's failure by index in a manual mode")
    void manualFailureByIndex(AckMode mode) {
        try (Scene scene = new Scene()) {
            scene.runningElsewhere("x").succeed(null, io.dedup.adapter.WaitBudget.none());
            scene.send("x", "a", "x", "b", "c");
            List<String> recovered = new CopyOnWriteArrayList<>();
            var container =
                    scene.container(mode, (BatchAcknowledgingMessageListener<String, String>) (records, ack) -> {
                        for (int i = 0; i < records.size(); i++) {
                            if (Scene.id(records.get(i)).equals("b")) {
                                throw new BatchListenerFailedException("b fails", i);
                            }
                            scene.effect().accept(records.get(i));
                        }
                        ack.acknowledge();
                    });
            container.setCommonErrorHandler(
                    new DefaultErrorHandler((record, e) -> recovered.add(Scene.id(record)), new FixedBackOff(0, 1)));
            scene.start(container);
            scene.awaitCommitted(5);
            assertThat(scene.effects).containsExactly("a", "c");
            assertThat(recovered).containsExactly("b");
        }
    }

    @Test
    @DisplayName(
            "K15 a stopped consumer's unacknowledged messages stay claimed until maxProcessingTime, then run again")
    void stopWithUnacknowledged() {
        Duration processing = Duration.ofSeconds(5);
        try (Scene scene =
                new Scene(policy -> policy.lease(Duration.ofSeconds(1)).maxProcessingTime(processing))) {
            scene.send("a");
            var container = scene.start(scene.container(AckMode.MANUAL, collecting(scene)));
            scene.awaitEffects("a");
            container.stop();
            assertThat(state(scene, "a")).isEqualTo(StoredRecord.State.PROCESSING);
            assertThat(scene.events).doesNotContain("released a");
            assertThat(DedupAdapter.of(scene.dedup).inFlight())
                    .as("the handler may go on")
                    .isOne();
            scene.start(
                    scene.container(AckMode.MANUAL, (AcknowledgingMessageListener<String, String>) (record, ack) -> {
                        scene.effect().accept(record);
                        ack.acknowledge();
                    }));
            scene.awaitEffects("a", "a");
            scene.awaitCommitted(1);
            assertThat(scene.deferrals).isNotEmpty();
        }
    }
}
