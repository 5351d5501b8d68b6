package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.adapter.WaitBudget;
import io.dedup.kafka.internal.failure.Rethrow;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.kafka.listener.BatchAcknowledgingMessageListener;
import org.springframework.kafka.listener.BatchListenerFailedException;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.CommonDelegatingErrorHandler;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.CommonLoggingErrorHandler;
import org.springframework.kafka.listener.CommonMixedErrorHandler;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.ListenerExecutionFailedException;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.listener.adapter.FilteringBatchMessageListenerAdapter;
import org.springframework.util.backoff.FixedBackOff;

/** Batches that fail: what the handler wasn't given, or hasn't come to, isn't given up with what failed. */
class BatchFailureTest {
    private final List<String> recovered = new CopyOnWriteArrayList<>();
    private final AtomicInteger calls = new AtomicInteger();

    private DefaultErrorHandler errorHandler(int retries) {
        return new DefaultErrorHandler(
                (record, e) -> recovered.add(record.topic() + "@" + record.offset()), new FixedBackOff(0, retries));
    }

    private void start(Scene scene, AckMode mode, BatchMessageListener<String, String> listener, int retries) {
        boolean manual = mode == AckMode.MANUAL || mode == AckMode.MANUAL_IMMEDIATE;
        Object shape = manual
                ? (BatchAcknowledgingMessageListener<String, String>) (records, ack) -> {
                    listener.onMessage(records);
                    ack.acknowledge();
                }
                : listener;
        var container = scene.container(mode, shape);
        container.setCommonErrorHandler(errorHandler(retries));
        scene.start(container);
    }

    private String at(Scene scene, int offset) {
        return scene.topic + "@" + offset;
    }

    @ParameterizedTest
    @EnumSource(names = {"BATCH", "MANUAL"})
    @DisplayName(
            "K6 with subBatchPerPartition the container never looks at what an error handler leaves: fetched again")
    void leftOfASubBatch(AckMode mode) {
        try (Scene scene = new Scene(2, policy -> policy)) {
            BatchAcknowledgingMessageListener<String, String> listener = (records, ack) -> {
                for (ConsumerRecord<String, String> record : records) {
                    if (Scene.id(record).equals("b") && calls.incrementAndGet() < 3) {
                        throw new BatchListenerFailedException("not yet", record);
                    }
                    scene.effect().accept(record);
                }
                if (ack != null) {
                    ack.acknowledge();
                }
            };
            scene.send("a", "b", "c");
            scene.sendTo(1, "x");
            ContainerProperties properties = scene.properties(mode, listener);
            properties.setSubBatchPerPartition(true);
            DefaultErrorHandler keeps = errorHandler(9);
            keeps.setSeekAfterError(false);
            var container = scene.container(properties, Map.of());
            container.setCommonErrorHandler(keeps);
            scene.start(container);
            scene.awaitAllCommitted();
            assertThat(scene.effects).containsExactlyInAnyOrder("a", "b", "c", "x");
            assertThat(recovered).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"BATCH", "MANUAL", "MANUAL_IMMEDIATE"})
    @DisplayName("K6 a rejection while the error handler retries the whole poll leaves the rest of the poll alone")
    void rejectedInRetry(AckMode mode) {
        try (Scene scene = new Scene(policy -> policy.fingerprint(true))) {
            scene.send("a");
            scene.send(scene.record(0, "a".getBytes(StandardCharsets.UTF_8), "another payload"));
            scene.send("c", "d");
            start(
                    scene,
                    mode,
                    records -> {
                        if (calls.incrementAndGet() == 1) {
                            throw new IllegalStateException("for once");
                        }
                        records.forEach(scene.effect());
                    },
                    99);
            scene.awaitCommitted(4);
            assertThat(scene.effects).containsExactly("a", "c", "d");
            assertThat(recovered).containsExactly(at(scene, 1));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"BATCH", "MANUAL", "MANUAL_IMMEDIATE"})
    @DisplayName("K6 a handler that fails for good in front of a rejected record: what is behind that one is handled")
    void failureBeforeRejected(AckMode mode) {
        try (Scene scene = new Scene()) {
            scene.send("a", "b");
            scene.send(scene.record(0, null, "no ID"));
            scene.send("c", "d");
            start(
                    scene,
                    mode,
                    records -> {
                        if (records.stream().map(Scene::id).anyMatch("a"::equals)) {
                            throw new IllegalStateException("for good");
                        }
                        records.forEach(scene.effect());
                    },
                    2);
            scene.awaitCommitted(5);
            assertThat(scene.effects).containsExactly("b", "c", "d");
            assertThat(recovered).containsExactly(at(scene, 0), at(scene, 2));
        }
    }

    @Test
    @DisplayName("K6 a record that is named while the error handler retries the whole poll is recovered alone")
    void namedInRetry() {
        try (Scene scene = new Scene()) {
            scene.send("a", "b", "c");
            start(
                    scene,
                    AckMode.BATCH,
                    records -> {
                        if (calls.incrementAndGet() == 1) {
                            throw new IllegalStateException("names none");
                        }
                        for (ConsumerRecord<String, String> record : records) {
                            if (Scene.id(record).equals("b")) {
                                throw new BatchListenerFailedException("for good", record);
                            }
                            scene.effect().accept(record);
                        }
                    },
                    2);
            scene.awaitCommitted(3);
            assertThat(scene.effects).containsExactly("a", "c");
            assertThat(recovered).containsExactly(at(scene, 1));
        }
    }

    private static CommonErrorHandler logging(String how) {
        CommonLoggingErrorHandler logging = new CommonLoggingErrorHandler();
        return switch (how) {
            case "mixed" -> new CommonMixedErrorHandler(new DefaultErrorHandler(), logging);
            case "delegating" -> new CommonDelegatingErrorHandler(logging);
            default -> logging;
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"itself", "mixed", "delegating"})
    @DisplayName(
            "K6 an error handler that acks a whole batch, wherever it is: what is behind a rejected record is handled")
    void loggingErrorHandler(String how) {
        try (Scene scene = new Scene()) {
            scene.send("a");
            scene.send(scene.record(0, null, "no ID"));
            scene.send("c", "d");
            scene.send(scene.record(0, null, "no ID"));
            var container = scene.container(
                    AckMode.BATCH, (BatchMessageListener<String, String>) records -> records.forEach(scene.effect()));
            container.setCommonErrorHandler(logging(how));
            scene.start(container);
            scene.awaitCommitted(5);
            assertThat(scene.effects).containsExactly("a", "c", "d");
        }
    }

    /** What keeps a batch that has failed with an {@code IllegalStateException}, and gives up any other. */
    private CommonErrorHandler keeping(String how) {
        CommonErrorHandler retries = errorHandler(99);
        CommonErrorHandler gives = errorHandler(0);
        CommonDelegatingErrorHandler delegating = new CommonDelegatingErrorHandler(gives);
        delegating.addDelegate(IllegalStateException.class, retries);
        return switch (how) {
            case "mixed" -> new CommonMixedErrorHandler(gives, delegating);
            case "delegating" -> delegating;
            default ->
                new CommonErrorHandler() {
                    @Override
                    public void handleBatch(
                            Exception thrown,
                            ConsumerRecords<?, ?> data,
                            Consumer<?, ?> consumer,
                            MessageListenerContainer container,
                            Runnable listener) {
                        CommonErrorHandler by = thrown.getCause() instanceof IllegalStateException ? retries : gives;
                        by.handleBatch(thrown, data, consumer, container, listener);
                    }
                };
        };
    }

    @ParameterizedTest
    @CsvSource({"delegating, false", "delegating, true", "mixed, false", "application, false", "application, true"})
    @DisplayName(
            "K6 an error handler that decides by what the handler has thrown finds it, also where we name the record")
    void decidesByTheCause(String how, boolean method) {
        try (Scene scene = new Scene()) {
            scene.runningElsewhere("done").succeed(null, WaitBudget.none());
            scene.send("a", "done", "b");
            var container = scene.container(AckMode.BATCH, (BatchMessageListener<String, String>) records -> {
                if (calls.incrementAndGet() < 4) {
                    IllegalStateException thrown = new IllegalStateException("not yet");
                    throw method ? new ListenerExecutionFailedException("as the adapter of a method", thrown) : thrown;
                }
                records.forEach(scene.effect());
            });
            container.setCommonErrorHandler(keeping(how));
            scene.start(container);
            scene.awaitCommitted(3);
            assertThat(scene.effects).containsExactly("a", "b");
            assertThat(recovered).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"BATCH", "MANUAL", "MANUAL_IMMEDIATE"})
    @DisplayName("K6 a handler that fails for good: what it was given is recovered, duplicates between aren't")
    void duplicatesAreNotRecovered(AckMode mode) {
        try (Scene scene = new Scene()) {
            scene.runningElsewhere("done").succeed(null, WaitBudget.none());
            scene.send("done", "a", "done", "b", "done");
            List<List<String>> seen = new CopyOnWriteArrayList<>();
            start(
                    scene,
                    mode,
                    records -> {
                        seen.add(records.stream().map(Scene::id).toList());
                        throw new IllegalStateException("for good");
                    },
                    2);
            scene.awaitCommitted(5);
            assertThat(seen.subList(0, 3)).containsOnly(List.of("a", "b"));
            assertThat(seen.subList(3, seen.size())).hasSize(3).containsOnly(List.of("b"));
            assertThat(recovered).containsExactly(at(scene, 1), at(scene, 3));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"checked", "stack overflow"})
    @DisplayName("an extractor that fails with anything at all leaves a record without an ID, and its neighbours alone")
    void extractorFails(String how) {
        try (Scene scene = new Scene()) {
            KafkaDedup kafka = scene.closeLater(KafkaDedup.builder(scene.dedup)
                    .id(record -> {
                        if (Scene.id(record).equals("bad")) {
                            throw Rethrow.asIs(
                                    how.equals("checked")
                                            ? new java.io.IOException("no JSON")
                                            : new StackOverflowError());
                        }
                        return Scene.id(record);
                    })
                    .build());
            scene.send("a", "bad", "c");
            var container = scene.container(
                    AckMode.BATCH, (BatchMessageListener<String, String>) records -> records.forEach(scene.effect()));
            container.setCommonErrorHandler(errorHandler(3));
            kafka.decorate(container);
            scene.start(container);
            scene.awaitCommitted(3);
            assertThat(scene.effects).containsExactly("a", "c");
            assertThat(recovered).containsExactly(at(scene, 1));
        }
    }

    private static BatchMessageListener<String, String> filtered(
            AckMode mode, BatchMessageListener<String, String> listener) {
        BatchMessageListener<String, String> inner = mode == AckMode.BATCH
                ? listener
                : (BatchAcknowledgingMessageListener<String, String>) (records, ack) -> {
                    listener.onMessage(records);
                    ack.acknowledge();
                };
        return new FilteringBatchMessageListenerAdapter<>(
                inner, record -> String.valueOf(record.value()).contains("filtered"));
    }

    @ParameterizedTest
    @EnumSource(names = {"BATCH", "MANUAL"})
    @DisplayName("K6 a filter removes from the handler's list, with duplicates in the poll and without")
    void filterWithDuplicate(AckMode mode) {
        try (Scene scene = new Scene()) {
            scene.runningElsewhere("done").succeed(null, WaitBudget.none());
            scene.send("a", "filtered", "done", "b");
            var container = scene.container(mode, filtered(mode, records -> records.forEach(scene.effect())));
            container.setCommonErrorHandler(errorHandler(3));
            scene.start(container);
            scene.awaitCommitted(4);
            assertThat(scene.effects).containsExactly("a", "b");
            assertThat(recovered).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"BATCH", "MANUAL"})
    @DisplayName("K6 an index counts the list as the filter left it")
    void filterAndFailureByIndex(AckMode mode) {
        try (Scene scene = new Scene()) {
            scene.send("filtered", "a", "bad", "c");
            var container = scene.container(mode, filtered(mode, records -> {
                for (int i = 0; i < records.size(); i++) {
                    if (Scene.id(records.get(i)).equals("bad") && calls.incrementAndGet() == 1) {
                        throw new BatchListenerFailedException("for once", i);
                    }
                    scene.effect().accept(records.get(i));
                }
            }));
            container.setCommonErrorHandler(errorHandler(3));
            scene.start(container);
            scene.awaitCommitted(4);
            scene.send("a", "e");
            scene.awaitCommitted(6);
            assertThat(scene.effects).containsExactly("a", "bad", "c", "e");
            assertThat(recovered).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"BATCH", "MANUAL"})
    @DisplayName("K6 a handler that sorts its list: what its exception says about the order isn't believed")
    void sortedList(AckMode mode) {
        try (Scene scene = new Scene()) {
            scene.send("b", "a", "c");
            start(
                    scene,
                    mode,
                    records -> {
                        Collections.sort(records, (x, y) -> Scene.id(x).compareTo(Scene.id(y)));
                        for (ConsumerRecord<String, String> record : records) {
                            if (calls.incrementAndGet() == 2) {
                                throw new BatchListenerFailedException("b fails for once", record);
                            }
                            scene.effect().accept(record);
                        }
                    },
                    3);
            scene.awaitCommitted(3);
            // a, before the failed one in the handler's order and behind it in the poll's, may run twice; none is lost
            assertThat(scene.effects).containsExactly("a", "a", "b", "c");
            assertThat(recovered).isEmpty();
        }
    }

    @Test
    @DisplayName("K6 nack and acknowledge by index count the list as the filter left it")
    void filterAndAckByIndex() {
        try (Scene scene = new Scene()) {
            scene.send("filtered", "a", "filtered2", "b", "c");
            var container = scene.container(
                    AckMode.MANUAL_IMMEDIATE,
                    new FilteringBatchMessageListenerAdapter<>(
                            (BatchAcknowledgingMessageListener<String, String>) (records, ack) -> {
                                if (calls.incrementAndGet() == 1) {
                                    assertThat(records).hasSize(3);
                                    scene.effect().accept(records.get(0));
                                    ack.acknowledge(0);
                                    assertThat(scene.committed()).containsEntry(0, 3L);
                                    scene.effect().accept(records.get(1));
                                    ack.nack(2, java.time.Duration.ofMillis(10));
                                } else {
                                    records.forEach(scene.effect());
                                    ack.acknowledge();
                                }
                            },
                            record -> String.valueOf(record.value()).contains("filtered")));
            container.setCommonErrorHandler(errorHandler(0));
            scene.start(container);
            scene.awaitCommitted(5);
            assertThat(scene.effects).containsExactly("a", "b", "c");
            assertThat(recovered).isEmpty();
        }
    }
}
