package io.dedup.kafka;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.Deduplicator;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import io.dedup.doubles.WatchedStore;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.kafka.internal.spring.ConsumerSettings;
import io.dedup.policy.DedupPolicy;
import io.dedup.policy.OnMissingId;
import io.dedup.store.StoredRecord;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.ConsumerPostProcessor;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.AcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.AcknowledgingMessageListener;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ConsumerSeekAware;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.kafka.support.TopicPartitionOffset;
import org.springframework.util.backoff.FixedBackOff;

/** What claiming a poll ahead does beside the tests of everything else, which run with it. */
class ClaimAheadTest {
    private static final int MANY = 120;

    private final WatchedStore watched = new WatchedStore(Scene.memory());

    private Scene scene(UnaryOperator<DedupPolicy.Builder> policy) {
        return scene(1, policy);
    }

    private Scene scene(int partitions, UnaryOperator<DedupPolicy.Builder> policy) {
        Scene scene =
                new Scene(watched.store, partitions, builder -> policy.apply(builder.lease(Duration.ofSeconds(30))));
        scene.claimAhead(true);
        return scene;
    }

    private static String[] ids(int count) {
        return IntStream.range(0, count).mapToObj(i -> "id" + i).toArray(String[]::new);
    }

    private static MessageListener<String, String> effect(Scene scene) {
        return record -> scene.effect().accept(record);
    }

    /** Acknowledges where the mode asks for it. */
    private static MessageListener<String, String> effect(Scene scene, AckMode mode) {
        if (mode != AckMode.MANUAL && mode != AckMode.MANUAL_IMMEDIATE) {
            return effect(scene);
        }
        return (AcknowledgingMessageListener<String, String>) (record, ack) -> {
            scene.effect().accept(record);
            requireNonNull(ack).acknowledge();
        };
    }

    private StoredRecord record(Scene scene, String id) {
        return watched.store.find(scene.dedup.key(scene.topic, id)).orElseThrow();
    }

    @ParameterizedTest
    @EnumSource(
            value = AckMode.class,
            names = {"BATCH", "COUNT", "TIME", "RECORD", "MANUAL", "MANUAL_IMMEDIATE"})
    @DisplayName("one claim a poll, no single ones; all are done, once, and committed")
    void oneClaimForAPoll(AckMode mode) {
        try (Scene scene = scene(policy -> policy)) {
            scene.send(ids(MANY));
            scene.runUntilCommitted(scene.container(mode, effect(scene, mode)));
            assertThat(scene.effects).containsExactly(ids(MANY));
            assertThat(watched.alone("claim")).hasSizeLessThan(10); // where a poll brought one record
            assertThat(watched.together("claim")).hasSizeLessThan(MANY / 4);
            for (String id : ids(MANY)) {
                assertThat(record(scene, id).state()).isEqualTo(StoredRecord.State.DONE);
                assertThat(record(scene, id).attempt()).isEqualTo(1);
            }
            if (mode == AckMode.BATCH || mode == AckMode.MANUAL) {
                assertThat(watched.alone("complete")).hasSizeLessThan(10); // as above
                assertThat(watched.together("complete")).hasSizeLessThan(MANY / 4);
            }
        }
    }

    @Test
    @DisplayName("switched off, each record takes its two calls")
    void off() {
        try (Scene scene = scene(policy -> policy)) {
            scene.claimAhead(false);
            scene.send("a", "b", "c");
            scene.runUntilCommitted(scene.container(AckMode.BATCH, effect(scene)));
            assertThat(watched.together("claim")).isEmpty();
            assertThat(watched.alone("claim")).hasSize(3);
            assertThat(watched.alone("complete")).hasSize(3);
        }
    }

    /** Handles a, b and c, and sees that no offset is committed until the store has answered. */
    private void assertDurableFirst(Scene scene, ConcurrentMessageListenerContainer<?, ?> container) {
        CountDownLatch answer = new CountDownLatch(1);
        CountDownLatch asked = new CountDownLatch(1);
        watched.before("complete", () -> {
            asked.countDown();
            await().until(() -> answer.getCount() == 0);
        });
        scene.start(container);
        scene.awaitEffects("a", "b", "c");
        await().until(() -> asked.getCount() == 0);
        await().during(Duration.ofMillis(500)).until(() -> scene.committed().isEmpty());
        answer.countDown();
        scene.awaitCommitted(3);
    }

    @ParameterizedTest
    @EnumSource(
            value = AckMode.class,
            names = {"BATCH", "MANUAL"})
    @DisplayName("T2 no offset is committed before the store knows of what is below it")
    void durableFirst(AckMode mode) {
        try (Scene scene = scene(policy -> policy)) {
            scene.send("a", "b", "c");
            assertDurableFirst(scene, scene.container(mode, effect(scene, mode)));
        }
    }

    @Test
    @DisplayName("another thread's acknowledgment is told to the store before the container hears of it")
    void anotherThread() {
        try (Scene scene = scene(policy -> policy)) {
            scene.send("a", "b", "c");
            List<Acknowledgment> acks = new CopyOnWriteArrayList<>();
            scene.start(scene.container(
                    AckMode.MANUAL, (AcknowledgingMessageListener<String, String>) (record, acknowledgment) -> {
                        scene.effect().accept(record);
                        acks.add(requireNonNull(acknowledgment));
                    }));
            await().until(() -> acks.size() == 3);
            acks.get(1).acknowledge();
            assertThat(record(scene, "a").state()).isEqualTo(StoredRecord.State.DONE);
            assertThat(record(scene, "b").state()).isEqualTo(StoredRecord.State.DONE);
            assertThat(record(scene, "c").state()).isEqualTo(StoredRecord.State.PROCESSING);
            acks.get(2).acknowledge();
            scene.awaitCommitted(3);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = AckMode.class,
            names = {"MANUAL", "MANUAL_IMMEDIATE"})
    @DisplayName("another thread's acknowledgment is committed when the store has answered, and not before")
    void anotherThreadsCommit(AckMode mode) {
        try (Scene scene = scene(policy -> policy)) {
            scene.send("a");
            List<Acknowledgment> acks = new CopyOnWriteArrayList<>();
            CountDownLatch answer = new CountDownLatch(1);
            CountDownLatch asked = new CountDownLatch(1);
            watched.before("complete", () -> {
                asked.countDown();
                await().until(() -> answer.getCount() == 0);
            });
            scene.start(
                    scene.container(mode, (AcknowledgingMessageListener<String, String>) (record, acknowledgment) -> {
                        scene.effect().accept(record);
                        acks.add(requireNonNull(acknowledgment));
                    }));
            await().until(() -> acks.size() == 1);
            CompletableFuture<Void> acknowledging =
                    CompletableFuture.runAsync(() -> acks.get(0).acknowledge());
            await().until(() -> asked.getCount() == 0);
            await().during(Duration.ofMillis(500)).until(() -> scene.committed().isEmpty());
            answer.countDown();
            scene.awaitCommitted(1);
            acknowledging.join();
        }
    }

    @Test
    @DisplayName("an acknowledgment after the consumer's end, on its thread, is told at once")
    void acknowledgedAfterTheEnd() {
        try (Scene scene = scene(policy -> policy)) {
            scene.send("a");
            var listener = new AcknowledgingAtTheEnd(scene);
            var container = scene.start(scene.container(AckMode.MANUAL, listener));
            scene.awaitEffects("a");
            container.stop();
            assertThat(listener.found).hasValue(StoredRecord.State.DONE);
        }
    }

    private final class AcknowledgingAtTheEnd
            implements AcknowledgingMessageListener<String, String>, ConsumerSeekAware {
        private final Scene scene;
        private final AtomicReference<@Nullable Acknowledgment> held = new AtomicReference<>();
        private final AtomicReference<StoredRecord.@Nullable State> found = new AtomicReference<>();

        AcknowledgingAtTheEnd(Scene scene) {
            this.scene = scene;
        }

        @Override
        public void onMessage(ConsumerRecord<String, String> record, @Nullable Acknowledgment acknowledgment) {
            held.set(acknowledgment);
            scene.effect().accept(record);
        }

        @Override
        public void unregisterSeekCallback() {
            requireNonNull(held.get()).acknowledge();
            found.set(record(scene, "a").state());
        }
    }

    @Test
    @DisplayName("a producer that is given the consumer's group commits what the store knows of")
    void producerCommits() {
        try (Scene scene = scene(policy -> policy)) {
            scene.send("a");
            AtomicReference<StoredRecord.@Nullable State> found = new AtomicReference<>();
            scene.runUntilCommitted(scene.container(AckMode.MANUAL, (AcknowledgingConsumerAwareMessageListener<
                            String, String>)
                    (record, acknowledgment, consumer) -> {
                        requireNonNull(acknowledgment).acknowledge();
                        requireNonNull(consumer).groupMetadata();
                        found.set(record(scene, "a").state());
                        scene.effect().accept(record);
                    }));
            assertThat(found).hasValue(StoredRecord.State.DONE);
        }
    }

    @Test
    @DisplayName("a success is told soon although its poll goes on for long")
    void toldSoon() {
        CountDownLatch goOn = new CountDownLatch(1);
        try (Scene scene = scene(policy -> policy)) {
            scene.send("a", "slow");
            scene.start(scene.container(AckMode.BATCH, (MessageListener<String, String>) record -> {
                if (Scene.id(record).equals("slow")) {
                    await().until(() -> goOn.getCount() == 0);
                }
                scene.effect().accept(record);
            }));
            await().until(() ->
                    scene.effects.contains("a") && record(scene, "a").state() == StoredRecord.State.DONE);
            assertThat(scene.committed()).isEmpty();
            goOn.countDown();
            scene.awaitCommitted(2);
        }
    }

    @Test
    @DisplayName("copies in a poll run once, also of what the store hasn't been told; other payloads are conflicts")
    void copies() {
        try (Scene scene = scene(policy -> policy.fingerprint(true))) {
            scene.send("a", "a", "b", "a");
            scene.send(scene.record(0, "b".getBytes(StandardCharsets.UTF_8), "another payload"));
            scene.send("c");
            AtomicInteger conflicts = new AtomicInteger();
            var container = scene.container(AckMode.BATCH, effect(scene));
            container.setCommonErrorHandler(
                    new DefaultErrorHandler((record, e) -> conflicts.incrementAndGet(), new FixedBackOff(0, 2)));
            scene.runUntilCommitted(container);
            assertThat(scene.effects).containsExactly("a", "b", "c");
            assertThat(conflicts).hasValue(1);
            assertThat(scene.deferrals).isEmpty();
            assertThat(scene.events).filteredOn("duplicate a"::equals).hasSize(2);
        }
    }

    /** Sends a, slow, a in one poll; slow takes until the store says what is waited for. */
    private void copyAfter(Scene scene, Predicate<Optional<StoredRecord>> ofFirst) {
        scene.send("a", "slow", "a");
        scene.runUntilCommitted(scene.container(AckMode.BATCH, (MessageListener<String, String>) record -> {
            if (Scene.id(record).equals("slow")) {
                await().until(() -> ofFirst.test(watched.store.find(scene.dedup.key(scene.topic, "a"))));
            }
            scene.effect().accept(record);
        }));
    }

    @Test
    @DisplayName("a copy that was polled with its first isn't asked about when that is done")
    void copyOfDone() {
        try (Scene scene = scene(policy -> policy)) {
            copyAfter(
                    scene,
                    first -> first.filter(it -> it.state() == StoredRecord.State.DONE)
                            .isPresent());
            assertThat(scene.effects).containsExactly("a", "slow");
            assertThat(scene.events).filteredOn("duplicate a"::equals).hasSize(1);
            assertThat(watched.alone("claim")).isEmpty();
        }
    }

    @Test
    @DisplayName("a copy that was polled with its first runs when the window has ended since")
    void copyAfterTheWindow() {
        Duration window = Duration.ofMillis(300);
        AtomicLong ended = new AtomicLong();
        try (Scene scene = scene(policy -> policy.window(window))) {
            // The process remembers the first for a window, too, and the store's clock moves in steps.
            copyAfter(
                    scene,
                    first -> first.isEmpty()
                            && !ended.compareAndSet(0, System.nanoTime())
                            && System.nanoTime() - ended.get() > window.toNanos());
            assertThat(scene.effects).containsExactly("a", "slow", "a");
        }
    }

    @Test
    @DisplayName("what an interceptor drops is given back, and its copy runs")
    void dropped() {
        try (Scene scene = scene(policy -> policy)) {
            scene.send("a", "dropped", "gone", "b", "dropped");
            AtomicBoolean once = new AtomicBoolean();
            ConcurrentMessageListenerContainer<String, String> container =
                    scene.container(AckMode.BATCH, effect(scene));
            container.setRecordInterceptor(
                    (record, consumer) -> Scene.id(record).equals("gone")
                                    || (Scene.id(record).equals("dropped") && once.compareAndSet(false, true))
                            ? null
                            : record);
            scene.start(container);
            scene.awaitEffects("a", "b", "dropped");
            await("the next poll, long before half a lease")
                    .until(() -> DedupAdapter.of(scene.dedup).inFlight() == 0);
            scene.awaitCommitted(5);
        }
    }

    @Test
    @DisplayName("a commit fails behind a record: the claims of the other records are given back before the back-off")
    void commitFailsBehindARecord() {
        try (Scene scene = scene(policy -> policy)) {
            scene.send("a", "b", "c");
            AtomicBoolean once = new AtomicBoolean();
            ContainerProperties properties = scene.properties(AckMode.RECORD, effect(scene));
            ConcurrentMessageListenerContainer<String, String> container =
                    FaultyConsumers.container(scene, properties, Map.of(), (method, argument) -> {
                        if (method.equals("commitSync") && once.compareAndSet(false, true)) {
                            throw new TimeoutException("the commit gets no answer");
                        }
                    });
            assertNothingIsClaimedWhileAnErrorIsHandled(scene, container);
        }
    }

    private static void assertNothingIsClaimedWhileAnErrorIsHandled(
            Scene scene, ConcurrentMessageListenerContainer<String, String> container) {
        List<Integer> claimed = new CopyOnWriteArrayList<>();
        container.setCommonErrorHandler(new DefaultErrorHandler(new FixedBackOff(0, 3)) {
            @Override
            public void handleRemaining(
                    Exception thrown,
                    List<ConsumerRecord<?, ?>> records,
                    Consumer<?, ?> consumer,
                    MessageListenerContainer listener) {
                claimed.add(DedupAdapter.of(scene.dedup).inFlight());
                super.handleRemaining(thrown, records, consumer, listener);
            }
        });
        scene.start(container);
        scene.awaitCommitted(3);
        assertThat(scene.effects).containsExactly("a", "b", "c");
        assertThat(claimed).containsExactly(0);
    }

    @Test
    @DisplayName("a handler fails: the claims of the poll's other records are given back before the back-off")
    void handlerFails() {
        try (Scene scene = scene(policy -> policy)) {
            scene.send("a", "b", "c");
            AtomicBoolean once = new AtomicBoolean();
            MessageListener<String, String> failing = record -> {
                if (once.compareAndSet(false, true)) {
                    throw new IllegalStateException("fails once");
                }
                scene.effect().accept(record);
            };
            var container = scene.container(AckMode.BATCH, failing);
            assertNothingIsClaimedWhileAnErrorIsHandled(scene, container);
        }
    }

    @Test
    @DisplayName("an interceptor that gives records their IDs: the ID at the turn counts, whatever was polled")
    void intercepted() {
        try (Scene scene = scene(policy -> policy.onMissingId(OnMissingId.SKIP))) {
            for (String value : List.of("a", "b", "a", "c")) {
                scene.send(scene.record(0, null, value));
            }
            scene.send("x", "x"); // told apart by the interceptor only
            AtomicInteger number = new AtomicInteger();
            ConcurrentMessageListenerContainer<String, String> container =
                    scene.container(AckMode.BATCH, effect(scene));
            container.setRecordInterceptor((record, consumer) -> {
                String id = record.headers().lastHeader("id") == null
                        ? record.value()
                        : Scene.id(record) + number.incrementAndGet();
                record.headers().remove("id");
                record.headers().add("id", id.getBytes(StandardCharsets.UTF_8));
                return record;
            });
            scene.runUntilCommitted(container);
            assertThat(scene.effects).containsExactly("a", "b", "c", "x1", "x2");
            assertThat(scene.effects)
                    .allSatisfy(id -> assertThat(record(scene, id).state()).isEqualTo(StoredRecord.State.DONE));
            assertThat(watched.store
                            .find(scene.dedup.key(scene.topic, "x"))
                            .filter(polled -> polled.state() == StoredRecord.State.DONE))
                    .as("the ID at the poll, under which nothing was done")
                    .isEmpty();
            assertThat(DedupAdapter.of(scene.dedup).inFlight()).isZero();
        }
    }

    @Test
    @DisplayName("an error gives back what waits, and its attempts don't count")
    void error() {
        try (Scene scene = scene(policy -> policy)) {
            scene.send("a", "bad", "b", "c");
            AtomicInteger calls = new AtomicInteger();
            Set<Integer> held = java.util.concurrent.ConcurrentHashMap.newKeySet();
            var container = scene.container(AckMode.BATCH, (MessageListener<String, String>) record -> {
                if (Scene.id(record).equals("bad") && calls.incrementAndGet() <= 2) {
                    throw new IllegalStateException("bad");
                }
                scene.effect().accept(record);
            });
            var handler = new DefaultErrorHandler(new FixedBackOff(0, 5));
            handler.setRetryListeners((record, e, attempt) ->
                    held.add(DedupAdapter.of(scene.dedup).inFlight()));
            container.setCommonErrorHandler(handler);
            scene.runUntilCommitted(container);
            assertThat(scene.effects).containsExactly("a", "bad", "b", "c");
            assertThat(held).containsExactly(0);
            assertThat(record(scene, "bad").attempt()).isEqualTo(3);
            assertThat(record(scene, "b").attempt()).isEqualTo(1);
            assertThat(record(scene, "c").attempt()).isEqualTo(1);
        }
    }

    @Test
    @DisplayName("K15 an immediate stop gives back what waits")
    void stop() {
        try (Scene scene = scene(policy -> policy)) {
            scene.send(ids(20));
            AtomicReference<ConcurrentMessageListenerContainer<String, String>> running = new AtomicReference<>();
            CountDownLatch stopping = new CountDownLatch(1);
            var properties = scene.properties(AckMode.BATCH, (MessageListener<String, String>) record -> {
                scene.effect().accept(record);
                if (scene.effects.size() == 3) {
                    running.get().stop(stopping::countDown);
                }
            });
            properties.setStopImmediate(true);
            running.set(scene.container(properties, Map.of()));
            scene.start(running.get());
            await().until(() -> stopping.getCount() == 0);
            await("long before half a lease")
                    .until(() -> DedupAdapter.of(scene.dedup).inFlight() == 0);
            assertThat(scene.effects).hasSize(3);
            scene.runUntilCommitted(scene.container(AckMode.BATCH, effect(scene)));
            assertThat(scene.effects).containsExactly(ids(20));
            assertThat(record(scene, "id10").attempt()).isEqualTo(1);
        }
    }

    @Test
    @DisplayName("what waits behind a handler that hangs is given back, and others may run it")
    void hangs() {
        CountDownLatch goOn = new CountDownLatch(1);
        try (Scene scene = scene(2, policy -> policy.lease(Duration.ofSeconds(2)))) {
            scene.sendTo(0, "hangs");
            scene.sendTo(0, "waits");
            scene.start(scene.container(AckMode.BATCH, (MessageListener<String, String>) record -> {
                if (Scene.id(record).equals("hangs")) {
                    await().until(() -> goOn.getCount() == 0);
                }
                scene.effect().accept(record);
            }));
            await().until(() -> scene.events.contains("released waits"));
            Execution elsewhere = scene.runningElsewhere("waits");
            elsewhere.succeed(null, io.dedup.adapter.WaitBudget.none());
            goOn.countDown();
            scene.awaitAllCommitted();
            assertThat(scene.effects).containsExactly("hangs");
        }
    }

    @Test
    @DisplayName("slow handlers claim no more than they come to in a third of the lease")
    void slow() {
        try (Scene scene = scene(policy -> policy.lease(Duration.ofMillis(600)))) {
            scene.send(ids(60)); // a record is first taken for 10 ms: 20 of them
            scene.runUntilCommitted(scene.container(AckMode.BATCH, effect(scene)));
            assertThat(scene.effects).containsExactly(ids(60));
            assertThat(watched.together("claim"))
                    .isNotEmpty()
                    .allMatch(call -> Integer.parseInt(call.substring("claim ".length())) <= 60);
            assertThat(watched.together("claim").get(0))
                    .isIn(IntStream.rangeClosed(2, 20)
                            .mapToObj(i -> "claim " + i)
                            .toList());
        }
    }

    @Test
    @DisplayName("a handler's own consumer of the same factory is left alone")
    void ownConsumer() {
        try (Scene scene = scene(policy -> policy);
                Scene other = new Scene()) {
            scene.send("a", "b");
            other.send("x", "y", "z");
            AtomicReference<ConsumerFactory<String, String>> factory = new AtomicReference<>();
            AtomicInteger read = new AtomicInteger();
            var container = scene.container(AckMode.BATCH, (MessageListener<String, String>) record -> {
                try (Consumer<String, String> own = factory.get().createConsumer("own-" + scene.group, "")) {
                    own.subscribe(List.of(other.topic));
                    await().until(() -> {
                        int count = own.poll(Duration.ofMillis(100)).count();
                        own.commitSync();
                        return read.addAndGet(count) % 3 == 0 && read.get() > 0;
                    });
                }
                scene.effect().accept(record);
            });
            @SuppressWarnings("unchecked")
            var found = (ConsumerFactory<String, String>) ConsumerSettings.factoryOf(container);
            factory.set(found);
            scene.runUntilCommitted(container);
            assertThat(scene.effects).containsExactly("a", "b");
            assertThat(watched.store.find(scene.dedup.key(other.topic, "x"))).isEmpty();
            assertThat(watched.together("release")).isEmpty();
        }
    }

    @Test
    @DisplayName(
            "with manual assignment, a listener that polls another consumer first: what is durable first is the container's")
    void ownConsumerFirst() {
        try (Scene scene = scene(policy -> policy);
                Scene other = new Scene()) {
            scene.send("a", "b", "c");
            var listener = new PollingAnother(scene, other.topic);
            var properties = new ContainerProperties(new TopicPartitionOffset(scene.topic, 0));
            properties.setMessageListener(listener);
            var container = scene.container(properties, Map.of());
            @SuppressWarnings("unchecked")
            var found = (ConsumerFactory<String, String>) ConsumerSettings.factoryOf(container);
            listener.factory.set(found);
            assertDurableFirst(scene, container);
            assertThat(listener.polled).isTrue();
            assertThat(watched.together("claim")).isNotEmpty();
        }
    }

    @Test
    @DisplayName(
            "T2 several instances on one consumer factory, each with listeners of its own: no commit before the store knows")
    void sharedFactory() {
        try (Scene scene = scene(policy -> policy);
                KafkaDedup another = KafkaDedup.builder(scene.dedup)
                        .id(KafkaMessageIds.key())
                        .build()) {
            scene.send("a", "b", "c");
            var container = scene.container(AckMode.BATCH, effect(scene));
            scene.kafka.decorate(container);
            var properties = new ContainerProperties(scene.topic);
            properties.setMessageListener(effect(scene));
            another.decorate(
                    new ConcurrentMessageListenerContainer<>(ConsumerSettings.factoryOf(container), properties));
            assertDurableFirst(scene, container);
            assertThat(watched.together("claim")).isNotEmpty();
        }
    }

    @Test
    @DisplayName("a record that waits for another process holds no claims that this process, or a third one, waits for")
    void waitsWithoutClaims() {
        try (Scene scene = scene(policy -> policy.lease(Duration.ofMinutes(1)).inFlightWait(Duration.ofMinutes(1)))) {
            Execution elsewhere = scene.runningElsewhere("b");
            scene.send("a", "b", "c");
            scene.start(scene.container(AckMode.BATCH, effect(scene)));
            await().until(() -> scene.effects.contains("a"));
            Deduplicator third = scene.closeLater(scene.deduplicator(policy -> policy));
            Execution other = await().until(
                                            () -> DedupAdapter.of(third)
                                                    .admit(
                                                            Delivery.of(
                                                                    third.topic(scene.topic),
                                                                    "c",
                                                                    null,
                                                                    () -> "elsewhere"),
                                                            WaitBudget.none()),
                                            Admission.Run.class::isInstance)
                            instanceof Admission.Run run
                    ? run.execution()
                    : null;
            requireNonNull(other).giveBack();
            elsewhere.fail(new IllegalStateException("elsewhere failed"));
            scene.awaitCommitted(3);
            assertThat(scene.effects).containsExactly("a", "b", "c");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("T2 a consumer that cannot be watched: each success is told at once, whatever else its thread polls")
    void unwatched(boolean wrapped) {
        try (Scene scene = scene(policy -> policy);
                Scene other = new Scene()) {
            scene.send("a", "b");
            var listener = new PollingAnother(scene, other.topic);
            var properties = new ContainerProperties(new TopicPartitionOffset(scene.topic, 0));
            properties.setMessageListener(listener);
            var watchedFactory = scene.container(AckMode.BATCH, effect(scene));
            scene.kafka.decorate(watchedFactory);
            @SuppressWarnings("unchecked")
            var found = (ConsumerFactory<String, String>) ConsumerSettings.factoryOf(watchedFactory);
            listener.factory.set(found);
            var container = new ConcurrentMessageListenerContainer<>(
                    new Unwatchable(scene.consumerConfig(), wrapped), properties);
            scene.runUntilCommitted(container);
            assertThat(listener.polled).isTrue();
            assertThat(scene.effects).containsExactly("a", "b");
            assertThat(watched.together("complete")).isEmpty();
            assertThat(watched.alone("complete")).hasSize(2);
        }
    }

    private static final class Unwatchable extends DefaultKafkaConsumerFactory<String, String> {
        private final boolean wraps;

        /** @param wraps so that it isn't Kafka's own consumer that the container has, for example to trace its calls */
        Unwatchable(Map<String, Object> config, boolean wraps) {
            super(config, new StringDeserializer(), new StringDeserializer());
            this.wraps = wraps;
        }

        @Override
        protected Consumer<String, String> createKafkaConsumer(Map<String, Object> config) {
            Consumer<String, String> consumer = super.createKafkaConsumer(config);
            return wraps ? FaultyConsumers.around(consumer, (method, argument) -> {}) : consumer;
        }

        @Override
        public void addPostProcessor(ConsumerPostProcessor<String, String> postProcessor) {
            // as factories of others do
        }
    }

    private static final class PollingAnother implements MessageListener<String, String>, ConsumerSeekAware {
        private final Scene scene;
        private final String topic;
        private final AtomicReference<ConsumerFactory<String, String>> factory = new AtomicReference<>();
        private volatile boolean polled;

        PollingAnother(Scene scene, String topic) {
            this.scene = scene;
            this.topic = topic;
        }

        @Override
        public void onPartitionsAssigned(Map<TopicPartition, Long> assignments, ConsumerSeekCallback callback) {
            Consumer<String, String> own = scene.closeLater(factory.get().createConsumer("own-" + scene.group, ""));
            own.assign(List.of(new TopicPartition(topic, 0)));
            own.poll(Duration.ofMillis(50));
            polled = true;
        }

        @Override
        public void onMessage(ConsumerRecord<String, String> record) {
            scene.effect().accept(record);
        }
    }

    @Test
    @DisplayName("an extractor that fails for one record of a poll spoils none of the others")
    void badRecord() {
        try (Scene scene = scene(policy -> policy)) {
            scene.send("a");
            scene.send(scene.record(0, null, "no ID"));
            scene.send("b");
            AtomicReference<@Nullable ConsumerRecord<?, ?>> given = new AtomicReference<>();
            var container = scene.container(AckMode.BATCH, effect(scene));
            container.setCommonErrorHandler(
                    new DefaultErrorHandler((record, e) -> given.set(record), new FixedBackOff(0, 2)));
            scene.runUntilCommitted(container);
            assertThat(scene.effects).containsExactly("a", "b");
            assertThat(given.get()).isNotNull();
        }
    }
}
