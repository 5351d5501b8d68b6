package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.dedup.adapter.DedupAdapter;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.listener.AcknowledgingMessageListener;
import org.springframework.kafka.listener.BatchAcknowledgingMessageListener;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.util.backoff.FixedBackOff;

/** K18: a record that isn't finished for long, or ever, and what comes behind it in its partition. */
@Order(1) // takes long
class UnfinishedLimitTest {
    private static final Duration LEASE = Duration.ofMillis(400);
    private static final int LIMIT = 6;
    private static final int MANY = 30;

    /** Ends of what isn't finished at once. */
    private final List<Runnable> ends = new CopyOnWriteArrayList<>();

    private final Map<String, Integer> runs = new ConcurrentHashMap<>();
    private final List<String> recovered = new CopyOnWriteArrayList<>();
    private final List<WeakReference<ConsumerRecord<?, ?>>> given = new CopyOnWriteArrayList<>();
    private volatile Predicate<ConsumerRecord<?, ?>> hangs = record -> false;

    enum Shape {
        FUTURES,
        ASYNC_ACKS,
        MANUAL_RECORDS,
        MANUAL_BATCHES;

        /** Whether an acknowledgment stands for all records below. */
        boolean isCumulative() {
            return this == MANUAL_RECORDS || this == MANUAL_BATCHES;
        }
    }

    final class Futures {
        private final Scene scene;

        Futures(Scene scene) {
            this.scene = scene;
        }

        @KafkaListener(id = "futures", groupId = "${group}", topics = "${topic}")
        CompletableFuture<Void> on(ConsumerRecord<String, String> record) {
            CompletableFuture<Void> end = new CompletableFuture<>();
            run(scene, record, () -> end.complete(null));
            return end;
        }
    }

    private void run(Scene scene, ConsumerRecord<String, String> record, Runnable end) {
        given.add(new WeakReference<>(record));
        runs.merge(Scene.id(record), 1, Integer::sum);
        scene.effect().accept(record);
        if (hangs.test(record)) {
            ends.add(end);
        } else {
            end.run();
        }
    }

    private void start(Scene scene, Shape shape, Map<String, Object> settings) {
        DefaultErrorHandler errorHandler =
                new DefaultErrorHandler((record, e) -> recovered.add(Scene.id(record)), new FixedBackOff(0, 0));
        if (shape == Shape.FUTURES) {
            AnnotatedScene annotated =
                    new AnnotatedScene(scene).with(factory -> factory.setCommonErrorHandler(errorHandler));
            annotated.consumer.putAll(settings);
            annotated.start(new Futures(scene));
            return;
        }
        Object listener = shape == Shape.MANUAL_BATCHES
                ? (BatchAcknowledgingMessageListener<String, String>)
                        (batch, ack) -> run(scene, batch.get(0), ack::acknowledge)
                : (AcknowledgingMessageListener<String, String>) (record, ack) -> run(scene, record, ack::acknowledge);
        ContainerProperties properties = scene.properties(AckMode.MANUAL, listener);
        properties.setAsyncAcks(shape == Shape.ASYNC_ACKS);
        Map<String, Object> config = new java.util.HashMap<>(settings);
        if (shape == Shape.MANUAL_BATCHES) {
            config.put("max.poll.records", 1);
        }
        var container = scene.container(properties, config);
        container.setCommonErrorHandler(errorHandler);
        scene.start(container);
    }

    private static Scene scene(int partitions, Duration maxProcessingTime) {
        Scene scene = new Scene(partitions, policy -> policy.lease(LEASE).maxProcessingTime(maxProcessingTime));
        scene.maxUnfinishedPerPartition(LIMIT);
        return scene;
    }

    /** In a partition: one that hangs, then many. */
    private void send(Scene scene, int partition, Shape shape) {
        scene.sendTo(partition, "hangs");
        for (int i = 1; i <= MANY; i++) {
            scene.sendTo(partition, "p" + partition + "-" + i);
        }
        hangs = record -> record.partition() == partition && (shape.isCumulative() || record.offset() == 0);
    }

    private static List<String> expected(int... partitions) {
        List<String> ids = new ArrayList<>();
        for (int partition : partitions) {
            for (int i = 1; i <= MANY; i++) {
                ids.add("p" + partition + "-" + i);
            }
        }
        return ids;
    }

    private long runsOf(Scene scene, String prefix) {
        return scene.effects.stream().filter(id -> id.startsWith(prefix)).count();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("K18 at the limit the partition is held, others go on; when the first one ends, nothing is lost")
    void held(Shape shape) {
        try (Scene scene = scene(2, Duration.ofMinutes(1))) {
            send(scene, 0, shape);
            for (int i = 1; i <= MANY; i++) {
                scene.sendTo(1, "p1-" + i);
            }
            start(scene, shape, Map.of());
            await().until(() -> scene.committed().getOrDefault(1, 0L) == MANY);
            await().during(Duration.ofMillis(500))
                    .atMost(Scene.PATIENCE)
                    .until(() -> scene.effects.contains("hangs") && runsOf(scene, "p0-") == LIMIT - 1);
            assertThat(scene.committed()).containsOnlyKeys(1);

            hangs = record -> false;
            ends.forEach(Runnable::run);
            scene.awaitAllCommitted();
            List<String> all = expected(0, 1);
            all.add("hangs");
            assertThat(scene.effects).containsExactlyInAnyOrderElementsOf(all);
            assertThat(recovered).isEmpty();
            await().until(() -> DedupAdapter.of(scene.dedup).inFlight() == 0);
        }
    }

    @Test
    @DisplayName("K18 a batch of several partitions is cut at the record of the held one, and nothing of it is lost")
    void heldInTheMiddleOfABatch() {
        try (Scene scene = scene(2, Duration.ofMinutes(1))) {
            List<Acknowledgment> acks = new CopyOnWriteArrayList<>();
            BatchAcknowledgingMessageListener<String, String> listener = (batch, ack) -> {
                batch.forEach(scene.effect());
                if (ends.isEmpty()) {
                    acks.add(ack);
                } else {
                    ack.acknowledge();
                }
            };
            for (int i = 1; i <= MANY; i++) {
                scene.sendTo(0, "p0-" + i);
            }
            var container = scene.container(scene.properties(AckMode.MANUAL, listener), Map.of("max.poll.records", 4));
            scene.start(container);
            // Nothing below is acknowledged. A batch may be one poll more than the limit.
            await().during(Duration.ofMillis(500))
                    .atMost(Scene.PATIENCE)
                    .until(() -> runsOf(scene, "p0-") >= LIMIT && runsOf(scene, "p0-") <= LIMIT + 4);
            for (int i = 1; i <= LIMIT; i++) {
                scene.sendTo(1, "p1-" + i);
            }
            await().until(() -> runsOf(scene, "p1-") == LIMIT);

            ends.add(() -> {});
            acks.forEach(Acknowledgment::acknowledge);
            scene.sendTo(1, "last");
            scene.awaitAllCommitted();
            List<String> all = expected(0);
            for (int i = 1; i <= LIMIT; i++) {
                all.add("p1-" + i);
            }
            all.add("last");
            assertThat(scene.effects).containsExactlyInAnyOrderElementsOf(all);
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("K18 when the run of the first one takes too long, it is claimed again, and the partition goes on")
    void overdue(Shape shape) {
        try (Scene scene = scene(1, LEASE.multipliedBy(2))) {
            send(scene, 0, shape);
            Predicate<ConsumerRecord<?, ?>> atFirst = hangs;
            hangs = record -> atFirst.test(record) && runs.get("hangs") == 1;
            start(scene, shape, Map.of());
            scene.awaitAllCommitted();
            assertThat(runs.get("hangs")).isEqualTo(2);
            assertThat(runs.keySet()).containsAll(expected(0));
            if (!shape.isCumulative()) { // else some more were never acknowledged
                assertThat(scene.effects).hasSize(MANY + 2);
            }
            Map<Integer, Long> committed = scene.committed();
            ends.forEach(Runnable::run); // too late
            scene.send("last");
            scene.awaitAllCommitted();
            assertThat(committed).isEqualTo(Map.of(0, MANY + 1L));
            assertThat(recovered).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("K18 so it is with a copy that follows one whose run takes too long, and then with that one")
    void copyOfOneThatHangs(Shape shape) {
        try (Scene scene = scene(2, LEASE.multipliedBy(2))) {
            hangs = record -> record.partition() == 0 && record.offset() == 0 && runs.get("hangs") == 1;
            scene.sendTo(0, "hangs");
            start(scene, shape, Map.of());
            await().until(() -> scene.effects.contains("hangs"));
            scene.sendTo(1, "hangs");
            for (int i = 1; i <= MANY; i++) {
                scene.sendTo(1, "p1-" + i);
            }
            await().until(() -> scene.committed().getOrDefault(1, 0L) == MANY + 1);
            assertThat(runs.get("hangs")).isEqualTo(2);

            if (!shape.isCumulative()) { // else the next acknowledgment stands for it
                for (int i = 1; i <= MANY; i++) {
                    scene.sendTo(0, "p0-" + i);
                }
                scene.awaitAllCommitted();
                assertThat(scene.effects).hasSize(2 * MANY + 2);
                assertThat(scene.events).contains("duplicate hangs");
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName(
            "K18 one that always hangs, with maxDeaths: given up by the error handler alone, and the partition goes on")
    void poison(Shape shape) {
        try (Scene scene = new Scene(
                1,
                policy -> policy.lease(LEASE)
                        .maxProcessingTime(LEASE.multipliedBy(2))
                        .maxDeaths(1))) {
            scene.maxUnfinishedPerPartition(LIMIT);
            send(scene, 0, shape);
            Predicate<ConsumerRecord<?, ?>> always = hangs;
            hangs = record -> always.test(record) && recovered.isEmpty();
            start(scene, shape, Map.of());
            scene.awaitAllCommitted();
            assertThat(recovered).contains("hangs");
            // Its second run was alone, and so was the first where records took so long that few are claimed ahead: the
            // end of a
            // run that was claimed with others counts for none of them.
            assertThat(runs.get("hangs")).isIn(1, 2);
            List<String> handledOrRecovered = new ArrayList<>(runs.keySet());
            assertThat(handledOrRecovered).containsAll(expected(0));
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("K18 a copy of one that is given up as poison is decided about anew, and its partition goes on")
    void copyOfPoison(Shape shape) {
        try (Scene scene = new Scene(
                2,
                policy -> policy.lease(LEASE)
                        .maxProcessingTime(LEASE.multipliedBy(2))
                        .maxDeaths(1))) {
            scene.maxUnfinishedPerPartition(LIMIT);
            hangs = record ->
                    record.partition() == 0 && (shape.isCumulative() || record.offset() == 0) && recovered.isEmpty();
            scene.sendTo(0, "hangs");
            start(scene, shape, Map.of());
            await().until(() -> scene.effects.contains("hangs"));
            scene.sendTo(1, "hangs");
            scene.sendTo(1, "marker");
            await().until(() -> scene.effects.contains("marker"));
            for (int i = 1; i <= MANY; i++) {
                scene.sendTo(0, "p0-" + i);
            }
            await().until(() -> recovered.contains("hangs"));
            for (int i = 1; i <= MANY; i++) {
                scene.sendTo(1, "p1-" + i);
            }
            scene.awaitAllCommitted();
        }
    }

    @Test
    @DisplayName("K18 a run that takes too long leaves its place to other partitions' records")
    void room() {
        try (Scene scene = scene(2, LEASE.multipliedBy(2))) {
            hangs = record -> record.partition() == 0;
            scene.sendTo(0, "hangs");
            start(scene, Shape.FUTURES, Map.of("max.poll.records", 1));
            await().until(() -> scene.effects.contains("hangs"));
            for (int i = 1; i <= MANY; i++) {
                scene.sendTo(1, "p1-" + i);
            }
            await().until(() -> scene.committed().getOrDefault(1, 0L) == MANY);
            assertThat(scene.effects).hasSize(MANY + 1);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FUTURES", "ASYNC_ACKS"})
    @DisplayName("K18 what is finished behind one that hangs isn't kept in memory")
    void notKept(Shape shape) {
        try (Scene scene = new Scene()) {
            send(scene, 0, shape);
            start(scene, shape, Map.of());
            await().until(() -> scene.effects.size() == MANY + 1);
            scene.send("last"); // the container has the last record that it was given
            await().until(() -> {
                System.gc();
                return given.stream().filter(record -> record.get() != null).count() <= 3;
            });
            assertThat(scene.committed()).isEmpty();
            ends.forEach(Runnable::run);
            scene.awaitAllCommitted();
        }
    }

    /** Fails many times, before one that doesn't end. */
    final class Retried {
        private static final int RETRIES = 40;
        private final Scene scene;

        Retried(Scene scene) {
            this.scene = scene;
        }

        @KafkaListener(id = "retried", groupId = "${group}", topics = "${topic}")
        CompletableFuture<Void> on(ConsumerRecord<String, String> record) {
            String id = Scene.id(record);
            if (runs.merge(id, 1, Integer::sum) == 1) {
                scene.effect().accept(record);
            }
            given.add(new WeakReference<>(record));
            CompletableFuture<Void> end = new CompletableFuture<>();
            if (id.equals("hangs") || runs.get(id) > RETRIES) {
                ends.add(() -> end.complete(null));
            } else {
                end.completeExceptionally(new IllegalStateException("for once"));
            }
            return end;
        }
    }

    @Test
    @DisplayName("K18 of a record that fails again and again only the last delivery is kept")
    void retriesNotKept() {
        try (Scene scene = new Scene()) {
            scene.send("fails");
            new AnnotatedScene(scene)
                    .with(factory -> factory.setCommonErrorHandler(
                            new DefaultErrorHandler(new FixedBackOff(0, FixedBackOff.UNLIMITED_ATTEMPTS))))
                    .start(new Retried(scene));
            await().until(() -> runs.getOrDefault("fails", 0) > Retried.RETRIES);
            scene.send("hangs"); // the container has the last record that it was given
            await().until(() -> runs.containsKey("hangs"));
            await().until(() -> {
                System.gc();
                return given.stream().filter(record -> record.get() != null).count() <= 4;
            });
            ends.forEach(Runnable::run);
            scene.awaitAllCommitted();
        }
    }

    @Test
    @DisplayName("K18 the warning names the partition, the offset and the setting, once")
    void warning() {
        Logger logger = (Logger) LoggerFactory.getLogger(KafkaDedup.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.list = new CopyOnWriteArrayList<>();
        lines.start();
        logger.addAppender(lines);
        try (Scene scene = scene(1, Duration.ofMinutes(1))) {
            send(scene, 0, Shape.FUTURES);
            start(scene, Shape.FUTURES, Map.of());
            Predicate<ILoggingEvent> ofScene = line ->
                    line.getLevel() == Level.WARN && line.getFormattedMessage().contains(scene.topic);
            await().until(() -> lines.list.stream().anyMatch(ofScene));
            await().during(Duration.ofMillis(500))
                    .until(() -> lines.list.stream().filter(ofScene).count() == 1);
            assertThat(lines.list.stream()
                            .filter(ofScene)
                            .findFirst()
                            .orElseThrow()
                            .getFormattedMessage())
                    .contains(
                            "Partition " + scene.topic + "-0 is held: its record at offset 0 isn't finished",
                            LIMIT + " records",
                            "The limit is " + LIMIT + " (",
                            "dedup.kafka.max-unfinished-per-partition");
        } finally {
            logger.detachAppender(lines);
        }
    }

    @Test
    void refusesLimitsBelowOne() {
        try (Scene scene = new Scene()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> KafkaDedup.builder(scene.dedup).maxUnfinishedPerPartition(0))
                    .withMessageContaining("maxUnfinishedPerPartition");
        }
    }
}
