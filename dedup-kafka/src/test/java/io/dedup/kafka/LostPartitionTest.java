package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.kafka.listener.AcknowledgingMessageListener;
import org.springframework.kafka.listener.BatchAcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.BatchAcknowledgingMessageListener;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.support.Acknowledgment;

/** Consumers that lose partitions of which the handler still has records that it hasn't acknowledged. */
class LostPartitionTest {
    private static final Duration LEASE = Duration.ofMillis(500);

    private final List<Acknowledgment> acks = new CopyOnWriteArrayList<>();

    private static Scene scene(int partitions) {
        return new Scene(partitions, policy -> policy.lease(LEASE));
    }

    /** Has its effect, and goes on with something that it hasn't finished when it returns. */
    private Object unfinished(Scene scene, boolean batch) {
        return batch
                ? (BatchAcknowledgingMessageListener<String, String>) (records, ack) -> {
                    records.forEach(scene.effect());
                    acks.add(ack);
                }
                : (AcknowledgingMessageListener<String, String>) (record, ack) -> {
                    scene.effect().accept(record);
                    acks.add(ack);
                };
    }

    private static void awaitDeferralsAfterTheLease(Scene scene) {
        long leaseOver = System.nanoTime() + LEASE.multipliedBy(2).toNanos();
        await().until(() -> System.nanoTime() > leaseOver);
        int before = scene.deferrals.size();
        await().until(() -> scene.deferrals.size() > before + 1);
    }

    @ParameterizedTest(name = "batch={0}")
    @ValueSource(booleans = {true, false})
    @DisplayName(
            "K5 K12 unacknowledged records of a lost partition stay claimed; a late acknowledgment marks them done")
    void lateAcknowledgment(boolean batch) {
        try (Scene scene = scene(1)) {
            scene.send("a", "b");
            var stopped = scene.start(scene.container(AckMode.MANUAL, unfinished(scene, batch)));
            scene.awaitEffects("a", "b");
            stopped.stop();

            scene.start(scene.container(AckMode.MANUAL, unfinished(scene, batch)));
            awaitDeferralsAfterTheLease(scene);
            acks.get(acks.size() - 1).acknowledge(); // and with it what is below

            scene.awaitCommitted(2);
            assertThat(scene.effects).containsExactly("a", "b");
            assertThat(scene.events).contains("completed a", "completed b");
        }
    }

    @ParameterizedTest(name = "batch={0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("K5 K12 a late acknowledgment commits nothing: the offset is another consumer's")
    void commitsNothing(boolean batch) {
        try (Scene scene = scene(1)) {
            scene.send("a");
            scene.start(scene.container(
                    scene.properties(AckMode.MANUAL_IMMEDIATE, unfinished(scene, batch)), TakeOverAssignor.ranked(1)));
            scene.awaitEffects("a");
            try (var unused = scene.takeOver()) {
                acks.get(0).acknowledge();
                assertThat(scene.events).contains("completed a");
                await().during(Duration.ofMillis(300))
                        .until(() -> scene.committed().isEmpty());
            }
        }
    }

    @Test
    @DisplayName("K5 K12 so it is with one that came with a later record's: it moves the other consumer's offset back")
    void movesNothingBack() {
        try (Scene scene = scene(1)) {
            scene.send("a", "b");
            scene.start(scene.container(
                    scene.properties(AckMode.MANUAL_IMMEDIATE, unfinished(scene, false)), TakeOverAssignor.ranked(1)));
            scene.awaitEffects("a", "b");
            acks.get(1).acknowledge(); // and with it what is below
            scene.awaitCommitted(2);
            try (var unused = scene.takeOver()) {
                acks.get(0).acknowledge();
                await().during(Duration.ofMillis(300))
                        .until(() -> scene.committed().equals(Map.of(0, 2L)));
            }
        }
    }

    /** In which poll a partition of a batch leaves. */
    enum Leaves {
        /** The container's, while a worker has the batch. */
        LATER,
        INTERCEPTOR,
        LISTENER
    }

    @ParameterizedTest(name = "{0} {1}, one by one {2}")
    @CsvSource({
        "MANUAL, LATER, false",
        "MANUAL_IMMEDIATE, LATER, false",
        "MANUAL, INTERCEPTOR, false",
        "MANUAL_IMMEDIATE, INTERCEPTOR, true",
        "MANUAL, LISTENER, false",
        "MANUAL_IMMEDIATE, LISTENER, false",
        "MANUAL_IMMEDIATE, LISTENER, true"
    })
    @DisplayName(
            "K12 K21 a partition of a batch leaves before the acknowledgment: what is kept is committed, what has left isn't")
    void commitsWhatIsKept(AckMode mode, Leaves when, boolean oneByOne) throws Exception {
        try (Scene scene = new Scene(2, policy -> policy)) {
            CountDownLatch polling = new CountDownLatch(1);
            CountDownLatch takenOver = new CountDownLatch(1);
            ContainerProperties properties = scene.properties(
                    mode, (BatchAcknowledgingConsumerAwareMessageListener<String, String>) (records, ack, consumer) -> {
                        records.forEach(scene.effect());
                        assertThat(records).hasSize(2);
                        if (when == Leaves.LATER) {
                            acks.add(ack);
                            return;
                        }
                        pollUntil(takenOver, consumer, polling);
                        if (oneByOne) {
                            ack.acknowledge(0);
                            ack.acknowledge(1);
                        } else {
                            ack.acknowledge();
                        }
                    });
            var container = scene.container(properties, TakeOverAssignor.ranked(1));
            container.setBatchInterceptor((records, consumer) -> {
                if (when == Leaves.INTERCEPTOR) {
                    pollUntil(takenOver, consumer, polling);
                }
                return records;
            });
            scene.sendTo(0, "left");
            scene.sendTo(1, "kept");
            scene.start(container);
            if (when == Leaves.LATER) {
                scene.awaitEffectsOf("left", "kept");
            } else {
                assertThat(polling.await(Scene.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .isTrue();
            }
            try (var unused = scene.takeOver()) {
                takenOver.countDown();
                acks.forEach(Acknowledgment::acknowledge);
                await().until(() -> scene.events.containsAll(List.of("completed left", "completed kept")));
                await().untilAsserted(() -> assertThat(scene.committed()).isEqualTo(Map.of(1, 1L)));
            }
        }
    }

    @ParameterizedTest(name = "throws {0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("K12 K21 what is kept of a batch is committed, too, if its commit throws at first, or fails")
    void commitOfWhatIsKeptFails(boolean throwing) {
        AtomicInteger commits = new AtomicInteger();
        FaultyConsumers.BeforeCall firstFails = new FaultyConsumers.BeforeCall() {
            @Override
            public void run(String method, @Nullable Object firstArgument) {
                if (throwing && method.equals("commitAsync") && commits.getAndIncrement() == 0) {
                    throw new TimeoutException("the commit isn't sent");
                }
            }

            /** As the consumer of the new group protocol: without the offsets. */
            @Override
            public boolean replaces(String method, @Nullable Object @Nullable [] arguments) {
                if (throwing || !method.equals("commitAsync") || commits.getAndIncrement() > 0) {
                    return false;
                }
                ((OffsetCommitCallback) arguments[1]).onComplete(null, new TimeoutException("no answer"));
                return true;
            }
        };
        try (Scene scene = new Scene(2, policy -> policy)) {
            var container = FaultyConsumers.container(
                    scene,
                    scene.properties(
                            AckMode.MANUAL, (BatchAcknowledgingMessageListener<String, String>) (records, ack) -> {
                                records.forEach(scene.effect());
                                acks.add(ack);
                            }),
                    TakeOverAssignor.ranked(1),
                    firstFails);
            scene.sendTo(0, "left");
            scene.sendTo(1, "kept");
            scene.start(container);
            scene.awaitEffectsOf("left", "kept");
            try (var unused = scene.takeOver()) {
                acks.forEach(Acknowledgment::acknowledge);
                await().untilAsserted(() -> assertThat(scene.committed()).isEqualTo(Map.of(1, 1L)));
            }
            assertThat(commits).hasValueGreaterThan(1);
        }
    }

    private static void pollUntil(CountDownLatch end, Consumer<?, ?> consumer, CountDownLatch polling) {
        polling.countDown();
        while (end.getCount() > 0) {
            consumer.poll(Duration.ofMillis(20));
        }
    }

    @Test
    @DisplayName(
            "K17 a partition that comes back goes on where its last consumer stopped, whatever was left open before")
    void comesBack() {
        try (Scene scene = new Scene(2, policy -> policy)) {
            List<String> seen = new CopyOnWriteArrayList<>();
            AtomicBoolean commitFails = new AtomicBoolean();
            var container = FaultyConsumers.container(
                    scene,
                    scene.properties(AckMode.BATCH, (MessageListener<String, String>) scene.effect()::accept),
                    TakeOverAssignor.ranked(1),
                    (method, argument) -> {
                        if (method.equals("commitSync") && commitFails.compareAndSet(true, false)) {
                            throw new TimeoutException("the commit gets no answer");
                        }
                    });
            container.setRecordInterceptor((record, consumer) -> {
                seen.add(Scene.id(record));
                return Scene.id(record).equals("removed") ? null : record; // nobody finishes what is removed
            });
            scene.sendTo(0, "removed");
            scene.start(container);
            scene.awaitAllCommitted();

            try (var other = scene.takeOver()) {
                scene.sendTo(0, "b");
                await().until(() -> !other.poll(Duration.ofMillis(50)).isEmpty());
                other.commitSync();
            }
            await().until(() -> container.getAssignedPartitions().size() == 2);

            commitFails.set(true);
            scene.sendTo(1, "c");
            await().until(() -> !commitFails.get());
            scene.sendTo(1, "d");
            scene.awaitAllCommitted();
            assertThat(seen).containsExactly("removed", "c", "d");
        }
    }

    @Test
    @DisplayName("K12 a copy whose first was in a lost partition is fetched again, and waits for the first's end")
    void copyOfALostFirst() {
        try (Scene scene = scene(2)) {
            scene.sendTo(0, "a");
            var loser = scene.start(scene.container(
                    scene.properties(AckMode.MANUAL, unfinished(scene, false)), TakeOverAssignor.ranked(1)));
            scene.awaitEffects("a");
            scene.sendTo(1, "a");
            await().until(() -> consumed(loser) == 2);

            scene.start(scene.container(
                    scene.properties(AckMode.MANUAL, unfinished(scene, false)), TakeOverAssignor.ranked(2)));
            awaitDeferralsAfterTheLease(scene);
            assertThat(acks).hasSize(1);
            acks.get(0).acknowledge();
            scene.awaitAllCommitted();
            assertThat(scene.effects).containsExactly("a");
        }
    }

    @Test
    @DisplayName(
            "K12 a copy that is fetched again because of a lost first skips nothing that was to be fetched before it")
    void copyBehindANack() throws Exception {
        try (Scene scene = scene(2)) {
            CountDownLatch nacked = new CountDownLatch(1);
            BatchAcknowledgingMessageListener<String, String> listener = (records, ack) -> {
                List<String> ids = records.stream().map(Scene::id).toList();
                int index = ids.indexOf("c");
                if (index >= 0 && nacked.getCount() > 0) {
                    records.subList(0, index).forEach(scene.effect());
                    ack.nack(index, Duration.ofSeconds(4));
                    nacked.countDown();
                    return;
                }
                records.forEach(scene.effect());
                if (ids.contains("a")) {
                    acks.add(ack); // goes on with it
                } else {
                    ack.acknowledge();
                }
            };
            scene.sendTo(0, "a");
            scene.start(scene.container(scene.properties(AckMode.MANUAL, listener), TakeOverAssignor.ranked(1)));
            scene.awaitEffects("a");
            try (var producer = new KafkaProducer<>(
                    Map.of("bootstrap.servers", scene.bootstrap, "linger.ms", 1_000),
                    new StringSerializer(),
                    new StringSerializer())) { // one poll brings them all
                for (String id : List.of("b", "c", "d", "a", "e", "f")) {
                    var unused = producer.send(scene.record(1, id.getBytes(StandardCharsets.UTF_8), "v-" + id));
                }
            }
            assertThat(nacked.await(Scene.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();

            scene.start(scene.container(scene.properties(AckMode.MANUAL, listener), TakeOverAssignor.ranked(2)));
            await().until(() -> !scene.deferrals.isEmpty());
            acks.get(0).acknowledge();
            scene.awaitAllCommitted();
            assertThat(scene.effects).containsExactlyInAnyOrder("a", "b", "c", "d", "e", "f");
        }
    }

    private static double consumed(MessageListenerContainer container) {
        return container.metrics().values().stream()
                .flatMap(metrics -> metrics.entrySet().stream())
                .filter(metric -> metric.getKey().name().equals("records-consumed-total")
                        && !metric.getKey().tags().containsKey("topic"))
                .mapToDouble(metric -> (Double) metric.getValue().metricValue())
                .sum();
    }
}
