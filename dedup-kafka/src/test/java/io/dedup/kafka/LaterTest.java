package io.dedup.kafka;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupContext;
import io.dedup.adapter.DedupAdapter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.kafka.annotation.BackOff;
import org.springframework.kafka.annotation.DltHandler;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.annotation.RetryableTopic;
import org.springframework.kafka.listener.CommonLoggingErrorHandler;
import org.springframework.kafka.listener.ConsumerAwareRebalanceListener;
import org.springframework.kafka.listener.ConsumerSeekAware;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.util.backoff.FixedBackOff;
import reactor.core.publisher.Mono;

/** Record listeners whose work ends later than their call. */
@Order(1) // takes long
@SuppressWarnings("FutureReturnValueIgnored") // waited for where it matters
class LaterTest {
    private final ExecutorService workers = Executors.newCachedThreadPool();
    /** The runs of each ID, in order; a test ends them. */
    private final Map<String, List<CompletableFuture<Void>>> runs = new ConcurrentHashMap<>();

    private final List<String> recovered = new CopyOnWriteArrayList<>();

    @AfterEach
    void stop() {
        workers.shutdownNow();
    }

    private CompletableFuture<Void> begin(ConsumerRecord<?, ?> record) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        runs.computeIfAbsent(Scene.id(record), id -> new CopyOnWriteArrayList<>())
                .add(end);
        return end;
    }

    private CompletableFuture<Void> run(String id, int number) {
        await().until(() -> runs.getOrDefault(id, List.of()).size() >= number);
        return runs.get(id).get(number - 1);
    }

    private void end(Scene scene, String id, int number) {
        scene.effects.add(id);
        assertThat(run(id, number).complete(null)).isTrue();
    }

    private void fail(String id, int number) {
        run(id, number).completeExceptionally(new IllegalStateException(id + " failed in run " + number));
    }

    final class Futures {
        @KafkaListener(id = "later", groupId = "${group}", topics = "${topic}")
        CompletableFuture<Void> on(ConsumerRecord<String, String> record) {
            return begin(record);
        }
    }

    final class Replaying implements ConsumerSeekAware {
        private volatile @Nullable ConsumerSeekCallback seeks;

        @KafkaListener(id = "later", groupId = "${group}", topics = "${topic}")
        CompletableFuture<Void> on(ConsumerRecord<String, String> record) {
            return begin(record);
        }

        @Override
        public void registerSeekCallback(ConsumerSeekCallback callback) {
            seeks = callback;
        }
    }

    final class Monos {
        @KafkaListener(id = "later", groupId = "${group}", topics = "${topic}")
        Mono<Void> on(ConsumerRecord<String, String> record) {
            return Mono.defer(() -> Mono.fromFuture(begin(record)));
        }
    }

    final class Acknowledging {
        @KafkaListener(id = "later", groupId = "${group}", topics = "${topic}")
        void on(ConsumerRecord<String, String> record, Acknowledgment ack) {
            begin(record).thenRun(ack::acknowledge);
        }
    }

    static final class AcknowledgingFirst {
        private final Scene scene;

        AcknowledgingFirst(Scene scene) {
            this.scene = scene;
        }

        @KafkaListener(id = "later", groupId = "${group}", topics = "${topic}")
        CompletableFuture<Void> on(ConsumerRecord<String, String> record, Acknowledgment ack) {
            scene.effect().accept(record);
            ack.acknowledge();
            return CompletableFuture.failedFuture(
                    record.offset() == 0 ? new IllegalStateException("after the ack") : new TimeoutException());
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = AckMode.class,
            names = {"MANUAL", "MANUAL_IMMEDIATE"})
    @DisplayName("T5 what is acknowledged before its future fails or times out is done")
    void acknowledgedThenFailed(AckMode mode) {
        try (Scene scene = new Scene()) {
            scene.send("a", "b");
            start(scene, new AcknowledgingFirst(scene), mode);
            scene.awaitCommitted(2);
            scene.send("a", "b");
            scene.awaitCommitted(4);
            assertThat(scene.effects).containsExactly("a", "b");
            assertThat(recovered).isEmpty();
        }
    }

    private void start(Scene scene, Object listener, AckMode mode) {
        new AnnotatedScene(scene)
                .with(factory -> {
                    factory.getContainerProperties().setAckMode(mode);
                    factory.getContainerProperties().setAsyncAcks(listener instanceof Acknowledging);
                    factory.setCommonErrorHandler(new DefaultErrorHandler(
                            (record, e) -> recovered.add(Scene.id(record)), new FixedBackOff(0, 1)));
                })
                .start(listener);
    }

    private Object listener(String kind) {
        return switch (kind) {
            case "Mono" -> new Monos();
            case "asyncAcks" -> new Acknowledging();
            case "suspend" -> new SuspendListener(this::begin);
            default -> new Futures();
        };
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({
        "CompletableFuture,RECORD",
        "CompletableFuture,BATCH",
        "CompletableFuture,MANUAL_IMMEDIATE",
        "Mono,BATCH",
        "suspend,BATCH",
        "suspend,MANUAL",
        "asyncAcks,MANUAL",
        "asyncAcks,MANUAL_IMMEDIATE"
    })
    @DisplayName("K2 K5 done when the work is, in any order; nothing is committed above what isn't; copies follow")
    void endsInAnyOrder(String kind, AckMode mode) {
        try (Scene scene = new Scene()) {
            scene.send("a", "b", "a", "c");
            start(scene, listener(kind), mode);
            run("c", 1);
            end(scene, "c", 1);
            end(scene, "b", 1);
            await().until(() -> scene.events.containsAll(List.of("completed c", "completed b")));
            await().during(Duration.ofMillis(300)).until(() -> scene.committed().isEmpty());
            end(scene, "a", 1);
            scene.awaitCommitted(4);
            assertThat(scene.effects).containsExactly("c", "b", "a");
            assertThat(runs.get("a")).hasSize(1);
        }
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({"CompletableFuture,BATCH", "asyncAcks,MANUAL", "asyncAcks,MANUAL_IMMEDIATE"})
    @DisplayName(
            "K12 K21 an interceptor polls through a rebalance: what the container goes on with isn't committed, above work of before")
    void rebalanceInAnInterceptorsPoll(String kind, AckMode mode) {
        try (Scene scene = new Scene(2, policy -> policy)) {
            scene.sendTo(0, "a");
            scene.sendTo(0, "b");
            AtomicInteger assignments = new AtomicInteger();
            new AnnotatedScene(scene)
                    .with(factory -> {
                        factory.getContainerProperties().setAckMode(mode);
                        factory.getContainerProperties().setAsyncAcks(kind.equals("asyncAcks"));
                        factory.getContainerProperties().setConsumerRebalanceListener(counting(assignments));
                        factory.setRecordInterceptor((record, consumer) -> {
                            if (Scene.id(record).equals("b") && assignments.get() == 1) {
                                pollThroughARebalance(consumer, assignments);
                            }
                            return record;
                        });
                    })
                    .start(listener(kind));
            end(scene, "b", 1);
            await().until(() -> scene.events.contains("completed b"));
            scene.sendTo(1, "c"); // delivered a poll later, when what b's end commits is committed
            end(scene, "c", 1);
            await().until(() -> scene.events.contains("completed c"));
            assertThat(scene.committed()).doesNotContainKey(0);
            end(scene, "a", 1);
            scene.awaitAllCommitted();
            assertThat(scene.effects).containsExactly("b", "c", "a");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName(
            "K12 K21 an interceptor polls through a rebalance: a seek to what the container goes on with doesn't pass work of before")
    void seekAfterARebalanceInAnInterceptorsPoll(boolean failsFirst) {
        try (Scene scene = new Scene()) {
            scene.send("a", "b", "c");
            AtomicInteger assignments = new AtomicInteger();
            AtomicInteger failures = new AtomicInteger();
            new AnnotatedScene(scene)
                    .with(factory -> {
                        factory.getContainerProperties().setConsumerRebalanceListener(counting(assignments));
                        factory.setRecordInterceptor((record, consumer) -> {
                            if (Scene.id(record).equals("b") && failures.getAndIncrement() == 0) {
                                pollThroughARebalance(consumer, assignments);
                                if (failsFirst) {
                                    fail("a", 1);
                                    await().until(() ->
                                            scene.events.stream().anyMatch(event -> event.startsWith("released a")));
                                }
                                throw new IllegalStateException("the interceptor fails, and the container seeks to b");
                            }
                            return record;
                        });
                    })
                    .start(listener("CompletableFuture"));
            if (!failsFirst) {
                await().until(() -> scene.deferrals.contains("a IN_FLIGHT"));
                fail("a", 1);
            }
            end(scene, "a", 2);
            end(scene, "b", 1);
            end(scene, "c", 1);
            scene.awaitCommitted(3);
        }
    }

    private static void pollThroughARebalance(Consumer<?, ?> consumer, AtomicInteger assignments) {
        int before = assignments.get();
        consumer.enforceRebalance();
        await().pollInSameThread().until(() -> {
            consumer.poll(Duration.ofMillis(50));
            return assignments.get() > before;
        });
    }

    private static ConsumerAwareRebalanceListener counting(AtomicInteger assignments) {
        return new ConsumerAwareRebalanceListener() {
            @Override
            public void onPartitionsAssigned(Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
                assignments.incrementAndGet();
            }
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"CompletableFuture", "suspend"})
    @DisplayName("K2 the lease is renewed until the work is done, not until the handler returns")
    void renewed(String kind) {
        try (Scene scene = new Scene(policy -> policy.lease(Duration.ofMillis(300)))) {
            scene.send("a");
            start(scene, listener(kind), AckMode.BATCH);
            run("a", 1);
            long leaseOver = System.nanoTime() + Duration.ofMillis(1500).toNanos();
            await().until(() -> System.nanoTime() > leaseOver);
            var other = scene.closeLater(scene.deduplicator(policy -> policy));
            assertThat(DedupAdapter.of(other)
                            .admit(
                                    io.dedup.adapter.Delivery.of(
                                            other.topic(scene.topic), "a", null, () -> "elsewhere"),
                                    io.dedup.adapter.WaitBudget.none()))
                    .isInstanceOf(io.dedup.adapter.Admission.Defer.class);
            end(scene, "a", 1);
            scene.awaitCommitted(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"CompletableFuture", "Mono", "suspend"})
    @DisplayName(
            "K2 a failure is retried and recovered; nothing above or below is lost by its commit, and what was done stays so")
    void failures(String kind) {
        try (Scene scene = new Scene()) {
            scene.send("a", "bad", "once", "d");
            start(scene, listener(kind), AckMode.BATCH);
            run("d", 1);
            end(scene, "d", 1);
            fail("bad", 1);
            fail("once", 1);
            // The error handler would commit what is below with it.
            await().during(Duration.ofMillis(300)).until(() -> runs.get("bad").size() == 1 && recovered.isEmpty());
            assertThat(scene.committed()).isEmpty();
            end(scene, "a", 1);
            scene.awaitCommitted(1);
            fail("bad", 2);
            await().until(() -> recovered.equals(List.of("bad")));
            end(scene, "once", 2);
            scene.awaitCommitted(4);
            assertThat(scene.effects).containsExactly("d", "a", "once");
            assertThat(runs.values().stream().mapToInt(List::size).sum()).isEqualTo(6);
            assertThat(DedupAdapter.of(scene.dedup).inFlight()).isZero();
        }
    }

    @Test
    @DisplayName(
            "K2 a rejected message waits for those below it, also with an error handler that doesn't seek: they may fail")
    void rejectedAboveOneThatFails() {
        try (Scene scene = new Scene()) {
            scene.send("a");
            scene.send(scene.record(0, null, "no ID"));
            scene.send("c");
            new AnnotatedScene(scene)
                    .with(factory -> factory.setCommonErrorHandler(new CommonLoggingErrorHandler()))
                    .start(new Futures());
            run("a", 1);
            await().during(Duration.ofMillis(300)).until(() -> scene.committed().isEmpty());
            fail("a", 1); // it has to be fetched again, to be given up
            end(scene, "c", 1);
            scene.awaitCommitted(3);
            assertThat(scene.effects).containsExactly("c");
        }
    }

    @Test
    @DisplayName("K2 a message that cannot be decided or handled waits for those below it")
    void rejectedAboveUnfinished() {
        try (Scene scene = new Scene()) {
            scene.send("a");
            scene.send(scene.record(0, null, "no ID"));
            scene.send("c");
            var elsewhere = scene.runningElsewhere("c");
            List<String> values = new CopyOnWriteArrayList<>();
            new AnnotatedScene(scene)
                    .with(factory -> factory.setCommonErrorHandler(
                            new DefaultErrorHandler((record, e) -> values.add((String) record.value()))))
                    .start(new Futures());
            run("a", 1);
            await().during(Duration.ofMillis(300)).until(values::isEmpty);
            assertThat(scene.committed()).isEmpty();
            end(scene, "a", 1);
            await().until(() -> values.equals(List.of("no ID")));
            await().until(() -> scene.deferrals.size() >= 3);
            elsewhere.succeed(null, io.dedup.adapter.WaitBudget.none());
            scene.awaitCommitted(3);
            assertThat(runs).containsOnlyKeys("a");
        }
    }

    @Test
    @DisplayName("K2 work that has ended before its listener seeks back is done, also if that isn't recorded yet")
    void replayedAfterItsEnd() {
        try (Scene scene = new Scene()) {
            List<String> ids = IntStream.range(0, 50).mapToObj(i -> "m" + i).toList();
            scene.send(ids.toArray(String[]::new));
            Replaying listener = new Replaying();
            start(scene, listener, AckMode.BATCH);
            ids.forEach(id -> run(id, 1));
            ids.forEach(id -> end(scene, id, 1)); // their successes are queued
            requireNonNull(listener.seeks).seek(scene.topic, 0, 0);
            await().until(() -> ids.stream().allMatch(id -> scene.events.contains("duplicate " + id)));
            scene.awaitCommitted(50);
            assertThat(runs.values()).allSatisfy(each -> assertThat(each).hasSize(1));
        }
    }

    @Test
    @DisplayName("K2 a cancelled future may still work: its claim isn't released, its lease runs out")
    void cancelled() {
        try (Scene scene = new Scene(policy -> policy.lease(Duration.ofMillis(800)))) {
            scene.send("a");
            start(scene, new Futures(), AckMode.BATCH);
            run("a", 1).cancel(true);
            await().until(() -> scene.deferrals.contains("a IN_FLIGHT"));
            end(scene, "a", 2);
            scene.awaitCommitted(1);
            assertThat(scene.events).doesNotContain("released a");
        }
    }

    @Test
    @DisplayName("K2 K15 concurrency, several partitions, failures at random: each effect once, all committed")
    void manyWithFailures() {
        try (Scene scene = new Scene(3, policy -> policy)) {
            AtomicInteger calls = new AtomicInteger();
            Map<String, AtomicInteger> tries = new ConcurrentHashMap<>();
            int each = 100;
            for (int i = 0; i < each; i++) {
                for (int partition = 0; partition < 3; partition++) {
                    scene.sendTo(partition, partition + "-" + i);
                }
                if (i % 5 == 0) {
                    scene.sendTo((i / 5) % 3, (i % 3) + "-" + (i / 2)); // resent, also to another partition
                }
            }
            var annotated = new AnnotatedScene(scene).with(factory -> {
                factory.setConcurrency(2);
                factory.setCommonErrorHandler(new DefaultErrorHandler(new FixedBackOff(0, 5)));
            });
            annotated.consumer.put("max.poll.records", 7);
            annotated.start(new Many(scene, calls, tries));
            scene.awaitAllCommitted();
            assertThat(scene.effects).hasSize(3 * each).doesNotHaveDuplicates();
            assertThat(calls.get())
                    .isEqualTo(3 * each
                            + (int) tries.values().stream()
                                    .filter(count -> count.get() > 1)
                                    .count());
            assertThat(DedupAdapter.of(scene.dedup).inFlight()).isZero();
        }
    }

    final class Many {
        private final Scene scene;
        private final AtomicInteger calls;
        private final Map<String, AtomicInteger> tries;

        Many(Scene scene, AtomicInteger calls, Map<String, AtomicInteger> tries) {
            this.scene = scene;
            this.calls = calls;
            this.tries = tries;
        }

        @KafkaListener(id = "many", groupId = "${group}", topics = "${topic}")
        CompletableFuture<Void> on(ConsumerRecord<String, String> record) {
            String id = Scene.id(record);
            calls.incrementAndGet();
            return CompletableFuture.runAsync(
                    () -> {
                        int attempt = tries.computeIfAbsent(id, key -> new AtomicInteger())
                                .incrementAndGet();
                        if (attempt == 1 && Math.floorMod(id.hashCode(), 7) == 0) {
                            throw new IllegalStateException("for once");
                        }
                        scene.effects.add(id);
                    },
                    workers);
        }
    }

    static final class Contexts {
        final List<String> seen = new CopyOnWriteArrayList<>();
        final AtomicInteger calls = new AtomicInteger();

        @KafkaListener(id = "context", groupId = "${group}", topics = "${topic}")
        void on(String value, DedupContext context) {
            seen.add(value + " " + context.key().messageId() + " " + context.attempt() + " "
                    + (context.fencingToken() > 0) + " " + context.leaseLost());
            if (calls.incrementAndGet() == 1) {
                throw new IllegalStateException("for once");
            }
        }
    }

    @Test
    @DisplayName("an annotated method gets its DedupContext as a parameter")
    void context() {
        try (Scene scene = new Scene()) {
            Contexts listener = new Contexts();
            new AnnotatedScene(scene)
                    .with(factory -> factory.setCommonErrorHandler(new DefaultErrorHandler(new FixedBackOff(0, 3))))
                    .start(listener);
            scene.send("a");
            scene.awaitCommitted(1);
            assertThat(listener.seen).containsExactly("v-a a 1 true false", "v-a a 2 true false");
        }
    }

    final class Retried {
        final List<String> deadLetters = new CopyOnWriteArrayList<>();

        @RetryableTopic(attempts = "2", backOff = @BackOff(delay = 50), kafkaTemplate = "template", numPartitions = "1")
        @KafkaListener(id = "${topic}", groupId = "${group}", topics = "${topic}")
        CompletableFuture<Void> on(ConsumerRecord<String, String> record) {
            return begin(record);
        }

        @DltHandler
        void dead(ConsumerRecord<String, String> record) {
            deadLetters.add(Scene.id(record));
        }
    }

    @Test
    @Tag(SpringKafkaLine.TAG_4) // @RetryableTopic(backOff = ...)
    @DisplayName("K2 K7 an asynchronous handler of @RetryableTopic: each failure is a hop, then the dead letter")
    void retryTopic() {
        try (Scene scene = new Scene()) {
            Retried listener = new Retried();
            new AnnotatedScene(scene).start(listener);
            scene.send("a", "bad", "c");
            run("c", 1);
            fail("bad", 1);
            end(scene, "c", 1);
            end(scene, "a", 1);
            scene.awaitCommitted(3);
            fail("bad", 2);
            await().until(() -> listener.deadLetters.equals(List.of("bad")));
            assertThat(scene.effects).containsExactly("c", "a");
            assertThat(new ArrayList<>(runs.get("bad"))).hasSize(2);
        }
    }

    final class Batch {
        @KafkaListener(id = "batch", groupId = "${group}", topics = "${topic}", batch = "true")
        CompletableFuture<Void> on(List<ConsumerRecord<String, String>> records) {
            return begin(records.get(0));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"BATCH", "MANUAL"})
    @DisplayName("a batch's future is waited for on the consumer's thread; its success acknowledges")
    void batch(AckMode mode) {
        try (Scene scene = new Scene()) {
            scene.send("a", "b");
            start(scene, new Batch(), mode);
            fail("a", 1);
            run("a", 2);
            assertThat(scene.committed()).isEmpty();
            end(scene, "a", 2);
            scene.awaitCommitted(2);
        }
    }
}
