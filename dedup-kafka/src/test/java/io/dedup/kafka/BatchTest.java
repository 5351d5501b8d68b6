package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Execution;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.kafka.listener.BatchListenerFailedException;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.util.backoff.FixedBackOff;

/** What a batch handler is given, and what becomes of the rest when it fails. */
class BatchTest {
    private final List<List<String>> calls = new CopyOnWriteArrayList<>();
    private final List<String> recovered = new CopyOnWriteArrayList<>();

    private List<String> ids(List<ConsumerRecord<String, String>> records) {
        List<String> ids = records.stream().map(Scene::id).toList();
        calls.add(ids);
        return ids;
    }

    private DefaultErrorHandler handler(long retries) {
        return new DefaultErrorHandler((record, e) -> recovered.add(Scene.id(record)), new FixedBackOff(0, retries));
    }

    private void runDone(Scene scene, String... ids) {
        for (String id : ids) {
            scene.runningElsewhere(id).succeed(null, io.dedup.adapter.WaitBudget.none());
        }
    }

    @Test
    @DisplayName("K6 copies in one batch run once, in order, and are committed with their first")
    void copiesInOneBatch() {
        try (Scene scene = new Scene()) {
            scene.send("a", "b", "a", "a", "c", "b");
            scene.start(scene.container(AckMode.BATCH, (BatchMessageListener<String, String>)
                    records -> scene.effects.addAll(ids(records))));
            scene.awaitCommitted(6);
            assertThat(scene.effects).containsExactly("a", "b", "c");
            assertThat(calls).hasSize(1);
        }
    }

    @Test
    @DisplayName("K6 nothing new: the handler isn't called")
    void nothingNew() {
        try (Scene scene = new Scene()) {
            runDone(scene, "a", "b");
            scene.send("a", "b", "a");
            scene.start(scene.container(AckMode.BATCH, (BatchMessageListener<String, String>) this::ids));
            scene.awaitCommitted(3);
            assertThat(calls).isEmpty();
        }
    }

    @ParameterizedTest(name = "by record={0}")
    @ValueSource(booleans = {true, false})
    @DisplayName(
            "K6 a failure by index counts the handler's list: only what is before it is done, the right record is recovered")
    void failureByIndex(boolean byRecord) {
        try (Scene scene = new Scene()) {
            runDone(scene, "x", "y");
            // The handler's list is a b c d: index 2 is c, which the poll has at 4. Its copy follows it.
            scene.send("x", "a", "y", "b", "c", "c", "d");
            var container = scene.container(AckMode.BATCH, (BatchMessageListener<String, String>) records -> {
                for (String id : ids(records)) {
                    if (id.equals("c")) {
                        int index = ids(records).indexOf("c");
                        throw byRecord
                                ? new BatchListenerFailedException("c fails", records.get(index))
                                : new BatchListenerFailedException("c fails", index);
                    }
                    scene.effects.add(id);
                }
            });
            container.setCommonErrorHandler(handler(2));
            scene.start(container);
            scene.awaitCommitted(7);
            assertThat(scene.effects).containsExactly("a", "b", "d");
            // The copy of c is a message of its own once c was recovered: it isn't done, so it is tried, too.
            assertThat(recovered).containsOnly("c");
            assertThat(recovered).hasSize(2);
            assertThat(scene.events).contains("released c").doesNotContain("released a", "completed c");
        }
    }

    @Test
    @DisplayName("K6 a failure that names no record releases all, and all run again")
    void failureOfAll() {
        try (Scene scene = new Scene()) {
            scene.send("a", "b", "a");
            AtomicInteger attempts = new AtomicInteger();
            var container = scene.container(AckMode.BATCH, (BatchMessageListener<String, String>) records -> {
                List<String> ids = ids(records);
                if (attempts.incrementAndGet() < 3) {
                    throw new IllegalStateException("fails");
                }
                scene.effects.addAll(ids);
            });
            container.setCommonErrorHandler(handler(5));
            scene.start(container);
            scene.awaitCommitted(3);
            assertThat(scene.effects).containsExactly("a", "b");
            assertThat(calls).containsExactly(List.of("a", "b"), List.of("a", "b"), List.of("a", "b"));
            assertThat(recovered).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, -1, 99})
    @DisplayName("K6 an index or a record that isn't of the handler's list proves nothing: no record is taken for done")
    void misleadingIndex(int index) {
        try (Scene scene = new Scene()) {
            runDone(scene, "x", "y");
            scene.send("x", "y", "a", "b", "c"); // the poll has 5, the handler gets 3
            AtomicInteger attempts = new AtomicInteger();
            var container = scene.container(AckMode.BATCH, (BatchMessageListener<String, String>) records -> {
                List<String> ids = ids(records);
                if (attempts.incrementAndGet() == 1) {
                    throw index == 99
                            ? new BatchListenerFailedException(
                                    "x isn't ours", new ConsumerRecord<>(scene.topic, 0, 1L, "", ""))
                            : new BatchListenerFailedException("no such record", index);
                }
                scene.effects.addAll(ids);
            });
            container.setCommonErrorHandler(handler(9));
            scene.start(container);
            scene.awaitCommitted(5);
            assertThat(scene.effects).containsExactly("a", "b", "c");
            assertThat(recovered).isEmpty();
            assertThat(calls).containsExactly(List.of("a", "b", "c"), List.of("a", "b", "c"));
        }
    }

    @Test
    @DisplayName(
            "K6 in flight at k: what is before it is done and committed, claims behind it are given back unstarted")
    void cutAtInFlight() {
        try (Scene scene = new Scene()) {
            Execution elsewhere = scene.runningElsewhere("c");
            scene.send("a", "b", "c", "d", "a");
            var container = scene.container(AckMode.BATCH, (BatchMessageListener<String, String>)
                    records -> scene.effects.addAll(ids(records)));
            container.setCommonErrorHandler(handler(0));
            scene.start(container);
            await().until(() -> scene.deferrals.size() >= 12);
            scene.awaitCommitted(2);
            assertThat(scene.effects).containsExactly("a", "b");
            assertThat(scene.store
                            .find(scene.dedup.key(scene.topic, "d"))
                            .orElseThrow()
                            .attempt())
                    .as("not charged for an attempt")
                    .isZero();
            elsewhere.fail(new IllegalStateException("failed"));
            scene.awaitCommitted(5);
            assertThat(scene.effects).containsExactly("a", "b", "c", "d");
            assertThat(recovered).isEmpty();
        }
    }

    @Test
    @DisplayName("K6 a record that is rejected is recovered alone, those before it are done, those behind it run")
    void rejectedInTheMiddle() {
        try (Scene scene = new Scene()) {
            scene.send("a", "b");
            scene.send(scene.record(0, null, "no ID"));
            scene.send("c");
            List<String> recoveredOffsets = new CopyOnWriteArrayList<>();
            var container = scene.container(AckMode.BATCH, (BatchMessageListener<String, String>)
                    records -> scene.effects.addAll(ids(records)));
            container.setCommonErrorHandler(new DefaultErrorHandler(
                    (record, e) -> recoveredOffsets.add(record.offset() + " " + rootName(e)), new FixedBackOff(0, 99)));
            scene.start(container);
            scene.awaitCommitted(4);
            assertThat(scene.effects).containsExactly("a", "b", "c");
            assertThat(recoveredOffsets).containsExactly("2 MissingMessageIdException");
        }
    }

    static String rootName(Throwable e) {
        Throwable root = e;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root.getClass().getSimpleName();
    }

    @Test
    @DisplayName("K6 the handler fails in a batch that is cut: the deferred record isn't recovered with the batch")
    void failureInCutBatch() {
        try (Scene scene = new Scene()) {
            Execution elsewhere = scene.runningElsewhere("b");
            scene.send("a", "b");
            AtomicInteger attempts = new AtomicInteger();
            var container = scene.container(AckMode.BATCH, (BatchMessageListener<String, String>) records -> {
                List<String> ids = ids(records);
                if (attempts.incrementAndGet() <= 3) {
                    throw new IllegalStateException("fails");
                }
                scene.effects.addAll(ids);
            });
            container.setCommonErrorHandler(handler(0));
            scene.start(container);
            await().until(() -> scene.effects.contains("a"));
            elsewhere.fail(new IllegalStateException("failed"));
            scene.awaitEffects("a", "b");
            scene.awaitCommitted(2);
            assertThat(recovered).isEmpty();
        }
    }

    @ParameterizedTest(name = "{0}")
    @org.junit.jupiter.params.provider.EnumSource(
            value = AckMode.class,
            names = {"BATCH", "MANUAL", "MANUAL_IMMEDIATE"})
    @DisplayName("K6 after a crash the batch runs one by one, and the poison is rejected without its neighbours")
    void poisonInBatch(AckMode mode) {
        try (Scene scene = new Scene(policy -> policy.maxDeaths(1))) {
            scene.send("a", "poison", "a", "b");
            crashElsewhere(scene, "poison");
            var container = scene.container(
                    mode, (org.springframework.kafka.listener.BatchAcknowledgingMessageListener<String, String>)
                            (records, ack) -> {
                                scene.effects.addAll(ids(records));
                                if (ack != null) {
                                    ack.acknowledge();
                                }
                            });
            container.setCommonErrorHandler(handler(99));
            scene.start(container);
            scene.awaitCommitted(4);
            assertThat(scene.effects).containsExactly("a", "b");
            assertThat(recovered).containsExactly("poison");
            assertThat(new ArrayList<>(calls).get(0)).containsExactly("a");
        }
    }

    private static void crashElsewhere(Scene scene, String id) {
        // The run of another process, whose lease ran out.
        var other = scene.closeLater(scene.deduplicator(policy ->
                policy.lease(java.time.Duration.ofMillis(20)).maxProcessingTime(java.time.Duration.ofMillis(20))));
        var run = (io.dedup.adapter.Admission.Run) DedupAdapter.of(other)
                .admit(
                        io.dedup.adapter.Delivery.of(other.topic(scene.topic), id, null, () -> "crash"),
                        io.dedup.adapter.WaitBudget.none());
        run.execution().begin();
        run.execution().abandon();
        await().until(() ->
                scene.store.find(scene.dedup.key(scene.topic, id)).orElseThrow().state()
                        == io.dedup.store.StoredRecord.State.ABANDONED);
    }

    @ParameterizedTest(name = "{0}")
    @org.junit.jupiter.params.provider.EnumSource(
            value = AckMode.class,
            names = {"BATCH", "MANUAL"})
    @DisplayName("K6 a failure while the batch runs one by one is that record's alone")
    void failureWhileIsolated(AckMode mode) {
        try (Scene scene = new Scene(policy -> policy.maxDeaths(5))) {
            scene.send("a", "died", "bad", "c");
            crashElsewhere(scene, "died");
            var container = scene.container(mode, (org.springframework.kafka.listener.BatchAcknowledgingMessageListener<
                            String, String>)
                    (records, ack) -> {
                        List<String> ids = ids(records);
                        if (ids.contains("bad")) {
                            throw new BatchListenerFailedException("bad", ids.indexOf("bad"));
                        }
                        scene.effects.addAll(ids);
                        if (ack != null) {
                            ack.acknowledge();
                        }
                    });
            container.setCommonErrorHandler(handler(0));
            scene.start(container);
            scene.awaitCommitted(4);
            assertThat(scene.effects).containsExactly("a", "died", "c");
            assertThat(recovered).containsExactly("bad");
            assertThat(calls.get(0)).containsExactly("a");
        }
    }

    @Test
    @DisplayName("T6 an Error of a batch handler releases its claims")
    void errorReleases() {
        try (Scene scene = new Scene()) {
            scene.send("a", "b");
            scene.start(scene.container(AckMode.BATCH, (BatchMessageListener<String, String>) records -> {
                throw new StackOverflowError("in the handler");
            }));
            await().until(() -> scene.events.containsAll(List.of("released a", "released b")));
            assertThat(scene.committed()).isEmpty();
            assertThat(DedupAdapter.of(scene.dedup).inFlight()).isZero();
        }
    }
}
