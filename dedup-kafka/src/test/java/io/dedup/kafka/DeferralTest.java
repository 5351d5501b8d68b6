package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.kafka.listener.AcknowledgingMessageListener;
import org.springframework.kafka.listener.BatchAcknowledgingMessageListener;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.CommonContainerStoppingErrorHandler;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.CommonLoggingErrorHandler;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.listener.RetryListener;
import org.springframework.util.backoff.FixedBackOff;

/** A message that is in flight elsewhere comes again and again, without limit and without an error handler's notice. */
@Order(1) // takes long
class DeferralTest {
    enum Handler {
        DEFAULT,
        DEFAULT_WITHOUT_SEEK,
        STOPPING,
        LOGGING,
        FOREIGN;

        CommonErrorHandler create(List<String> recovered) {
            return switch (this) {
                case DEFAULT ->
                    new DefaultErrorHandler((record, e) -> recovered.add(Scene.id(record)), new FixedBackOff(0, 2));
                case DEFAULT_WITHOUT_SEEK -> {
                    var handler = new DefaultErrorHandler(
                            (record, e) -> recovered.add(Scene.id(record)), new FixedBackOff(0, 2));
                    handler.setSeekAfterError(false);
                    yield handler;
                }
                case STOPPING -> new CommonContainerStoppingErrorHandler();
                case LOGGING -> new CommonLoggingErrorHandler();
                case FOREIGN -> new Foreign(recovered);
            };
        }
    }

    /** Gives up on everything at once. */
    private record Foreign(List<String> recovered) implements CommonErrorHandler {
        @Override
        public boolean handleOne(
                Exception e, ConsumerRecord<?, ?> record, Consumer<?, ?> consumer, MessageListenerContainer container) {
            recovered.add(Scene.id(record));
            return true;
        }

        @Override
        public void handleBatch(
                Exception e,
                ConsumerRecords<?, ?> data,
                Consumer<?, ?> consumer,
                MessageListenerContainer container,
                Runnable invokeListener) {
            data.forEach(record -> recovered.add(Scene.id(record)));
        }
    }

    static Stream<Arguments> combinations() {
        return Stream.of(
                        Stream.of(Handler.values())
                                .flatMap(handler -> Stream.of(true, false)
                                        .filter(batch -> !(batch && handler == Handler.LOGGING)) // is refused
                                        .map(batch -> Arguments.of(AckMode.BATCH, handler, batch))),
                        Stream.of(AckMode.values())
                                .filter(mode -> mode != AckMode.BATCH)
                                .flatMap(mode -> Stream.of(true, false)
                                        .filter(batch -> !(batch && mode == AckMode.RECORD))
                                        .map(batch -> Arguments.of(mode, Handler.DEFAULT, batch))))
                .flatMap(all -> all);
    }

    static Object listener(Scene scene, boolean batch) {
        return batch
                ? (BatchAcknowledgingMessageListener<String, String>) (records, ack) -> {
                    records.forEach(scene.effect());
                    acknowledge(ack);
                }
                : (AcknowledgingMessageListener<String, String>) (record, ack) -> {
                    scene.effect().accept(record);
                    acknowledge(ack);
                };
    }

    private static void acknowledge(org.springframework.kafka.support.@Nullable Acknowledgment ack) {
        if (ack != null) {
            ack.acknowledge();
        }
    }

    @ParameterizedTest(name = "{0} {1} batch={2}")
    @MethodSource("combinations")
    @DisplayName(
            "T2 K3 in flight elsewhere: deferred without limit, never recovered, order kept, nothing beyond committed")
    void deferredWithoutLimit(AckMode mode, Handler handler, boolean batch) {
        try (Scene scene = new Scene()) {
            List<String> recovered = new CopyOnWriteArrayList<>();
            Execution elsewhere = scene.runningElsewhere("b");
            scene.send("a", "b", "c");
            var container = scene.container(mode, listener(scene, batch));
            container.setCommonErrorHandler(handler.create(recovered));
            scene.start(container);

            await().until(() -> scene.deferrals.size() >= 25);
            assertThat(scene.effects).containsExactly("a");
            if (mode != AckMode.COUNT) { // counts up to 2
                scene.awaitCommitted(1);
            }
            assertThat(scene.committed().getOrDefault(0, 0L)).isLessThanOrEqualTo(1);

            elsewhere.fail(new IllegalStateException("the other one failed: were it acked, it would be lost"));
            scene.awaitEffects("a", "b", "c");
            scene.awaitCommitted(3);
            assertThat(recovered).isEmpty();
            assertThat(container.isRunning()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(Handler.class)
    @DisplayName("K3 the other one succeeds: acked as a duplicate")
    void otherOneSucceeds(Handler handler) {
        try (Scene scene = new Scene()) {
            List<String> recovered = new CopyOnWriteArrayList<>();
            Execution elsewhere = scene.runningElsewhere("b");
            scene.send("a", "b", "c");
            var container = scene.container(AckMode.BATCH, listener(scene, false));
            container.setCommonErrorHandler(handler.create(recovered));
            scene.start(container);
            await().until(() -> scene.deferrals.size() >= 3);
            elsewhere.succeed(null, WaitBudget.none());
            scene.awaitEffects("a", "c");
            scene.awaitCommitted(3);
            assertThat(recovered).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"RECORD,DEFAULT", "BATCH,DEFAULT", "MANUAL,DEFAULT", "BATCH,LOGGING", "BATCH,DEFAULT_WITHOUT_SEEK"})
    @DisplayName("K3 K12 other partitions go on while one is deferred, also when waiting in place is allowed")
    void otherPartitionsGoOn(AckMode mode, Handler handler) {
        try (Scene scene = new Scene(3, policy -> policy.inFlightWait(java.time.Duration.ofSeconds(1)))) {
            Execution elsewhere = scene.runningElsewhere("p0-0");
            for (int i = 0; i < 5; i++) {
                scene.sendTo(0, "p0-" + i);
                scene.sendTo(1, "p1-" + i);
            }
            var container = scene.container(mode, listener(scene, false));
            container.setCommonErrorHandler(handler.create(new CopyOnWriteArrayList<>()));
            container.setConcurrency(2);
            scene.start(container);
            await().until(() -> scene.committed().getOrDefault(1, 0L) == 5 && scene.deferrals.size() > 10);
            for (int i = 5; i < 10; i++) {
                scene.sendTo(1, "p1-" + i);
            }
            await().until(() -> scene.committed().getOrDefault(1, 0L) == 10);
            assertThat(scene.committed()).doesNotContainKey(0);
            elsewhere.fail(new IllegalStateException("failed"));
            await().until(() -> scene.committed().equals(Map.of(0, 5L, 1, 10L)));
            assertThat(scene.effects.stream().filter(id -> id.startsWith("p0")))
                    .containsExactly("p0-0", "p0-1", "p0-2", "p0-3", "p0-4");
            assertThat(scene.effects).hasSize(15).doesNotHaveDuplicates();
        }
    }

    @Test
    @DisplayName("K3 a partition that the user has paused isn't resumed by the end of a deferral")
    void usersPauseIsKept() {
        try (Scene scene = new Scene()) {
            Execution elsewhere = scene.runningElsewhere("a");
            scene.send("a");
            var container = scene.start(scene.container(AckMode.BATCH, listener(scene, false)));
            await().until(() -> !scene.deferrals.isEmpty());
            container.pause();
            await().until(container::isContainerPaused);
            elsewhere.succeed(null, WaitBudget.none());
            scene.send("b");
            int seen = scene.deferrals.size();
            await().during(java.time.Duration.ofMillis(500))
                    .atMost(Scene.PATIENCE)
                    .untilAsserted(() -> {
                        assertThat(scene.effects).isEmpty();
                        assertThat(scene.deferrals).hasSizeLessThanOrEqualTo(seen + 1);
                    });
            container.resume();
            scene.awaitEffects("b");
            scene.awaitCommitted(2);
        }
    }

    @ParameterizedTest(name = "batch={0}")
    @org.junit.jupiter.params.provider.ValueSource(booleans = {true, false})
    @DisplayName(
            "K3 a deferral between a handler's failures spends none of its attempts, and isn't recovered in a retry loop")
    void deferralBetweenFailures(boolean batch) {
        try (Scene scene = new Scene()) {
            List<String> recovered = new CopyOnWriteArrayList<>();
            scene.send("a");
            java.util.concurrent.atomic.AtomicReference<Execution> elsewhere =
                    new java.util.concurrent.atomic.AtomicReference<>();
            java.util.concurrent.atomic.AtomicInteger calls = new java.util.concurrent.atomic.AtomicInteger();
            Object listener = batch
                    ? (org.springframework.kafka.listener.BatchMessageListener<String, String>) records -> fail(calls)
                    : (org.springframework.kafka.listener.MessageListener<String, String>) record -> fail(calls);
            var handler =
                    new DefaultErrorHandler((record, e) -> recovered.add(Scene.id(record)), new FixedBackOff(0, 2));
            // Another consumer takes the message as soon as the first failure has released it.
            handler.setRetryListeners(new RetryListener() {
                @Override
                public void failedDelivery(ConsumerRecord<?, ?> record, Exception e, int attempt) {
                    taken();
                }

                @Override
                public void failedDelivery(ConsumerRecords<?, ?> records, Exception e, int attempt) {
                    taken();
                }

                private void taken() {
                    if (elsewhere.get() == null) {
                        elsewhere.set(scene.runningElsewhere("a"));
                    }
                }
            });
            var container = scene.container(AckMode.BATCH, listener);
            container.setCommonErrorHandler(handler);
            scene.start(container);
            await().until(() -> scene.deferrals.size() >= 15);
            assertThat(calls).hasValue(1);
            assertThat(recovered).isEmpty();
            elsewhere.get().fail(new IllegalStateException("failed elsewhere"));
            scene.awaitCommitted(1);
            assertThat(recovered).containsExactly("a");
            assertThat(calls.get()).isBetween(3, 4);
        }
    }

    private static void fail(java.util.concurrent.atomic.AtomicInteger calls) {
        calls.incrementAndGet();
        throw new IllegalStateException("handler fails");
    }

    @Test
    @DisplayName(
            "K3 what keeps the finished part of a batch from being committed doesn't keep the rest from coming again")
    void commitFails() {
        try (Scene scene = new Scene()) {
            Execution elsewhere = scene.runningElsewhere("x");
            scene.send("a", "x", "b");
            var properties = scene.properties(
                    AckMode.BATCH, (BatchMessageListener<String, String>) records -> records.forEach(scene.effect()));
            AtomicInteger asked = new AtomicInteger();
            properties.setOffsetAndMetadataProvider((listener, offset) -> {
                if (asked.incrementAndGet() == 1) {
                    throw new IllegalStateException("no metadata");
                }
                return new OffsetAndMetadata(offset);
            });
            scene.start(scene.container(properties, Map.of()));
            await().until(() -> asked.get() > 0);
            elsewhere.fail(new IllegalStateException("elsewhere"));
            scene.awaitEffects("a", "x", "b");
            scene.awaitCommitted(3);
        }
    }
}
