package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupScope;
import io.dedup.DedupTopic;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.store.StoredRecord.State;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.util.backoff.FixedBackOff;

/** T11 A process that dies with many claims convicts none of their messages. */
class DeathsOfManyTest {
    private static final Duration SHORT = Duration.ofMillis(30);
    private static final String RELEASED = "released ";

    private final List<String> recovered = new CopyOnWriteArrayList<>();

    private void start(Scene scene, AckMode mode, Object listener) {
        ConcurrentMessageListenerContainer<String, String> container = scene.container(mode, listener);
        container.setCommonErrorHandler(
                new DefaultErrorHandler((record, e) -> recovered.add(Scene.id(record)), new FixedBackOff(0, 0)));
        scene.start(container);
    }

    /** Another process, which dies with these claims. */
    private static void diesWith(Scene scene, boolean ahead, String... ids) {
        var other = scene.closeLater(scene.deduplicator(
                policy -> policy.lease(SHORT).maxProcessingTime(SHORT).maxDeaths(1)));
        DedupAdapter engine = DedupAdapter.of(other);
        List<Delivery> deliveries = Stream.of(ids)
                .map(id -> Delivery.of(other.topic(scene.topic), id, null, () -> "elsewhere"))
                .toList();
        Stream<Admission> admissions = ahead
                ? engine.ahead().claim(deliveries).stream()
                        .map(claim -> engine.ahead().admit(Objects.requireNonNull(claim), WaitBudget.none()))
                : engine.admitAll(deliveries, WaitBudget.none()).admissions().stream();
        admissions.map(each -> ((Admission.Run) each).execution()).forEach(Execution::abandon);
        await().until(() -> Stream.of(ids).allMatch(id -> state(scene, id) == State.ABANDONED));
    }

    /** Another process, which is killed by its handler of this dead letter. */
    private static void isKilledBy(Scene scene, DedupScope deadLetters, String id) {
        var other = scene.closeLater(
                scene.deduplicator(policy -> policy.lease(SHORT).maxProcessingTime(SHORT)));
        DedupTopic topic = new DedupTopic(deadLetters, other.topic(scene.topic).policy());
        Admission admission =
                DedupAdapter.of(other).admit(Delivery.of(topic, id, null, () -> "elsewhere"), WaitBudget.none());
        Execution run = ((Admission.Run) admission).execution();
        run.begin();
        run.abandon();
        await().until(() -> scene.store.find(deadLetters.key(id)).orElseThrow().state() == State.ABANDONED);
    }

    @Test
    @DisplayName(
            "a dead letter that has killed a process is handled all the same: if it were rejected, nobody else would get it")
    void deadLetter() {
        try (Scene scene = new Scene(policy -> policy.maxDeaths(1))) {
            scene.kafka.close();
            scene.kafka = KafkaDedup.builder(scene.dedup)
                    .id(KafkaMessageIds.header("id"))
                    .deadLetterTopic(scene.topic, "orders")
                    .build();
            DedupScope deadLetters = DedupScope.deadLetter(scene.dedup.consumer(), "orders");
            scene.send("dead");
            AtomicBoolean failed = new AtomicBoolean();
            var container = scene.container(AckMode.BATCH, (MessageListener<String, String>) record -> {
                if (!failed.getAndSet(true)) {
                    throw new IllegalStateException("fails once, and is handled elsewhere before the next try");
                }
                scene.effect().accept(record);
            });
            DefaultErrorHandler handler =
                    new DefaultErrorHandler((record, e) -> recovered.add(Scene.id(record)), new FixedBackOff(0, 5));
            handler.setRetryListeners((record, e, attempt) -> scene.events.stream()
                    .filter(each -> each.startsWith(RELEASED))
                    .forEach(each -> isKilledBy(scene, deadLetters, each.substring(RELEASED.length()))));
            container.setCommonErrorHandler(handler);
            scene.start(container);
            scene.awaitCommitted(1);
            assertThat(scene.effects).containsExactly("dead");
            assertThat(recovered).isEmpty();
        }
    }

    private static State state(Scene scene, String id) {
        return scene.store.find(scene.dedup.key(scene.topic, id)).orElseThrow().state();
    }

    @ParameterizedTest(name = "ahead {0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("a record listener handles all of them")
    void records(boolean ahead) {
        try (Scene scene = new Scene(policy -> policy.maxDeaths(1))) {
            scene.claimAhead(true);
            String[] ids = IntStream.range(0, 50).mapToObj(i -> "id" + i).toArray(String[]::new);
            scene.send(ids);
            diesWith(scene, ahead, ids);
            start(scene, AckMode.BATCH, (MessageListener<String, String>)
                    record -> scene.effect().accept(record));
            scene.awaitCommitted(ids.length);
            assertThat(scene.effects).containsExactly(ids);
            assertThat(recovered).isEmpty();
        }
    }

    @ParameterizedTest(name = "ahead {0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("a batch listener handles all of them, one by one, and the next batches together")
    void batches(boolean ahead) {
        try (Scene scene = new Scene(policy -> policy.maxDeaths(1))) {
            scene.send("a", "b", "c");
            diesWith(scene, ahead, "a", "b", "c");
            List<Integer> sizes = new CopyOnWriteArrayList<>();
            start(scene, AckMode.BATCH, (BatchMessageListener<String, String>) records -> {
                sizes.add(records.size());
                records.forEach(record -> scene.effect().accept(record));
            });
            scene.awaitCommitted(3);
            assertThat(scene.effects).containsExactly("a", "b", "c");
            assertThat(sizes).containsExactly(1, 1, 1);
            assertThat(recovered).isEmpty();
        }
    }

    @Test
    @DisplayName(
            "before a message runs alone, what was handled before it is recorded: it is no neighbour that could be charged")
    void recordedBeforeTheNextRunsAlone() {
        try (Scene scene = new Scene(policy -> policy.maxDeaths(1))) {
            scene.claimAhead(true);
            scene.send("a", "b", "c");
            diesWith(scene, true, "a", "b", "c");
            List<State> before = new CopyOnWriteArrayList<>();
            start(scene, AckMode.BATCH, (MessageListener<String, String>) record -> {
                switch (Scene.id(record)) {
                    case "b" -> before.add(state(scene, "a"));
                    case "c" -> before.add(state(scene, "b"));
                    default -> {}
                }
                scene.effect().accept(record);
            });
            scene.awaitCommitted(3);
            assertThat(before).containsExactly(State.DONE, State.DONE);
        }
    }
}
