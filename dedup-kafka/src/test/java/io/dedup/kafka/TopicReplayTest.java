package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.Deduplicator;
import io.dedup.adapter.DedupAdapter;
import io.dedup.engine.Deduplicators;
import io.dedup.id.MessageIdExtractor;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.memory.InMemoryDedupStore;
import io.dedup.testkit.kafka.KafkaReplay;
import io.dedup.testkit.kafka.SpringContainers;
import io.dedup.testkit.kafka.StoppableConsumers;
import io.dedup.testkit.replay.ReplayReport;
import io.dedup.testkit.replay.Timeline;
import io.dedup.testkit.replay.TopicReplay;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.listener.AcknowledgingMessageListener;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.MessageListener;

/** What the testkit says of listeners that are right, and of listeners that aren't. */
class TopicReplayTest {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final Duration SHORT = Duration.ofSeconds(3);

    private final Scene scene = new Scene(2, policy -> policy);
    private final Timeline timeline = new Timeline();
    private final Deduplicator dedup = Deduplicators.builder(new InMemoryDedupStore())
            .consumer(scene.group)
            .shutdownTimeout(Duration.ZERO)
            .defaults(DedupPolicy.builder()
                    .lease(Duration.ofSeconds(20))
                    .inFlightWait(Duration.ZERO)
                    .maxDeferDelay(Duration.ofMillis(50))
                    .explainDuplicates(true)
                    .build())
            .listener(timeline)
            .build();
    private final KafkaDedup kafka =
            KafkaDedup.builder(dedup).id(KafkaMessageIds.header("id")).build();

    @AfterEach
    void close() {
        scene.close();
        kafka.close();
        dedup.close();
    }

    /** The user's listener, decorated. */
    private ConcurrentMessageListenerContainer<String, String> start(Object listener) {
        ConcurrentMessageListenerContainer<String, String> container = scene.container(AckMode.RECORD, listener);
        kafka.decorate(container);
        return startPlain(container);
    }

    private ConcurrentMessageListenerContainer<String, String> startPlain(
            ConcurrentMessageListenerContainer<String, String> container) {
        scene.closeLater(container::stop);
        container.start();
        return container;
    }

    private MessageListener<String, String> effect() {
        return scene.effect()::accept;
    }

    private KafkaReplay replay() {
        return KafkaReplay.of(scene.bootstrap)
                .topic(scene.topic)
                .group(scene.group)
                .ids(KafkaMessageIds.header("id"))
                .timeline(timeline)
                .atMost(LIMIT);
    }

    private TopicReplay withEffects() {
        return scene.closeLater(replay().effects(() -> scene.effects).build());
    }

    private void send(int count) {
        for (int i = 0; i < count; i++) {
            scene.sendTo(i % 2, "m" + i);
        }
    }

    @Test
    @DisplayName("sent again three times, shuffled, with live traffic: a listener that is right passes")
    void sentAgain() {
        start(effect());
        send(20);

        ReplayReport report = withEffects()
                .all()
                .times(3)
                .shuffled(42)
                .alongside(() -> scene.send("live-1", "live-2", "live-1"))
                .bySendingAgain();

        report.assertThat().handledOncePerId().lostNothing().ackedDuplicates().ranNothingUnguarded();
        assertThat(report.ids()).hasSize(22).contains("live-1", "m19");
        assertThat(report).asString().contains(":" + scene.topic + ": 22 handled", "resent=", " copies of \"m");
        assertThat(report.copies("m3")).hasSize(4).allMatch(copy -> copy.partition() == 1);
        assertThat(report.timeline("m3"))
                .extracting(Timeline.Event::kind)
                .contains(
                        Timeline.Kind.CLAIMED,
                        Timeline.Kind.COMPLETED,
                        Timeline.Kind.SENT_AGAIN,
                        Timeline.Kind.DUPLICATE,
                        Timeline.Kind.ACKED);
    }

    @Test
    @DisplayName("rewound twice, from an offset, from a time: passes")
    void rewound() {
        ConcurrentMessageListenerContainer<String, String> container = start(effect());
        Instant begin = Instant.now().minusSeconds(60);
        send(10);
        String bootstrapServers = scene.bootstrap;
        String topic = scene.topic;
        String group = scene.group;
        List<String> effects = scene.effects;
        // docs:begin
        TopicReplay replay = KafkaReplay.of(bootstrapServers)
                .topic(topic)
                .group(group)
                .ids(KafkaMessageIds.header("id"))
                .effects(() -> effects)
                .timeline(timeline) // Deduplicators.builder(store)…listener(timeline)
                .consumers(SpringContainers.of(container)) // for rewinding
                .build();
        // docs:end
        scene.closeLater(replay);

        replay.all().times(2).byRewinding().assertThat().handledOncePerId().ackedDuplicates();
        replay.offsets(1, 3).byRewinding().assertThat().handledOncePerId();
        replay.since(begin)
                .alongside(() -> scene.send("live"))
                .byRewinding()
                .assertThat()
                .handledOncePerId();

        assertThat(duplicates("m1")).isEqualTo(3); // twice all, once by time
        assertThat(duplicates("m9")).isEqualTo(4); // and once from its offset
        assertThat(scene.effects).hasSize(11);
    }

    private long duplicates(String id) {
        return timeline.events(scene.group, scene.topic, id).stream()
                .filter(event -> event.kind() == Timeline.Kind.DUPLICATE)
                .count();
    }

    @Test
    @DisplayName("chosen IDs, offsets and times come again, and nothing else")
    void chosen() {
        start(effect());
        send(6);
        TopicReplay replay = withEffects();

        replay.ids("m2", "m3").bySendingAgain().assertThat().handledOncePerId();
        replay.offsets(0, 1, 2).bySendingAgain().assertThat().handledOncePerId(); // m2 again
        ReplayReport report =
                replay.between(Instant.EPOCH, Instant.now().plusSeconds(60)).bySendingAgain();

        report.assertThat().handledOncePerId();
        assertThat(IntStream.range(0, 6).mapToObj(i -> report.copies("m" + i).size()))
                .containsExactly(2, 2, 6, 4, 2, 2);
        assertThatThrownBy(() -> replay.ids("nobody").bySendingAgain())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Nothing to replay");
        assertThatThrownBy(() -> replay.ids("m2").byRewinding())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("bySendingAgain");
        assertThatThrownBy(() -> replay.all().byRewinding())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("consumers(...)");
    }

    @Test
    @DisplayName("a topic with transactions' markers and aborted records is consumed when its last record is")
    void transactions() {
        start(effect());
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", scene.bootstrap, "transactional.id", scene.topic),
                new StringSerializer(),
                new StringSerializer())) {
            producer.initTransactions();
            producer.beginTransaction();
            var unused = producer.send(record("committed"));
            producer.commitTransaction();
            producer.beginTransaction();
            unused = producer.send(record("aborted"));
            producer.flush();
            producer.abortTransaction();
        }
        scene.sendTo(1, "other");

        // The container reads what isn't committed, too: only the topic's own truth is looked at here.
        ReplayReport report = scene.closeLater(replay().build()).report();

        assertThat(report.ids()).containsExactlyInAnyOrder("committed", "other");
        report.assertThat().handledOncePerId();
    }

    private ProducerRecord<String, String> record(String id) {
        return scene.record(0, id.getBytes(StandardCharsets.UTF_8), "v");
    }

    @Test
    @DisplayName("broken: a listener without dedup doubles")
    void withoutDedup() {
        startPlain(scene.container(AckMode.RECORD, effect()));
        send(2);

        ReplayReport report = withEffects().all().bySendingAgain();

        assertThatThrownBy(() -> report.assertThat().handledOncePerId())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("2 messages took effect more than once:")
                .hasMessageContaining("\"m0\": " + scene.topic + "-0@0, " + scene.topic + "-0@1; took effect 2 times")
                .hasMessageContaining("the listener isn't decorated");
        assertThatThrownBy(() -> report.assertThat().ackedDuplicates())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("Register it as a listener");
        assertThatThrownBy(() ->
                        scene.closeLater(replay().build()).report().assertThat().handledOncePerId())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("Nothing is known about effects");
    }

    @Test
    @DisplayName("broken: a listener that swallows its failure loses the message, and the timeline says who acked it")
    void loses() {
        start((MessageListener<String, String>) record -> {
            if (!Scene.id(record).equals("m1")) {
                scene.effect().accept(record);
            }
        });
        send(3);
        ReplayReport report = withEffects().report();

        assertThatThrownBy(() -> report.assertThat().lostNothing())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("1 message lost: acknowledged without an effect:")
                .hasMessageContaining("\"m1\": " + scene.topic + "-1@0; took effect 0 times")
                .hasMessageContaining("claimed (attempt 1) by \"c-" + scene.topic)
                .hasMessageContaining("completed (handler took")
                .hasMessageContaining("acknowledged (" + scene.topic + "-1@0) by \"group " + scene.group)
                .hasMessageNotContaining("m0");
    }

    @Test
    @DisplayName("broken: a listener that acks before its effect is caught although the effect follows")
    void acksEarly() throws Exception {
        CountDownLatch caught = new CountDownLatch(1);
        startPlain(scene.container(AckMode.MANUAL_IMMEDIATE, (AcknowledgingMessageListener<String, String>)
                (record, ack) -> {
                    ack.acknowledge();
                    try {
                        caught.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    scene.effect().accept(record);
                }));
        scene.send("m0");
        scene.awaitCommitted(1);
        TopicReplay replay = withEffects();

        ReplayReport early = replay.report();
        caught.countDown();
        await().until(() -> !scene.effects.isEmpty());
        ReplayReport late = replay.report();

        assertThatThrownBy(() -> early.assertThat().lostNothing())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("lost: acknowledged without an effect");
        assertThatThrownBy(() -> late.assertThat().handledOncePerId())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("acknowledged before the effect: a crash in between would lose it")
                .hasMessageContaining("acknowledged at " + scene.topic + "-0@0 before its effect");
    }

    @Test
    @DisplayName("broken: a listener that is stuck is told with the messages that wait, and a deferred one is known")
    void stuck() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        start((MessageListener<String, String>) record -> {
            if (Scene.id(record).equals("m3")) {
                try {
                    go.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            scene.effect().accept(record);
        });
        send(4);
        await().until(() -> !timeline.events(scene.group, scene.topic, "m3").isEmpty());
        try (TopicReplay hasty =
                replay().effects(() -> scene.effects).atMost(SHORT).build()) {
            assertThatThrownBy(hasty::report)
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("has not acknowledged")
                    .hasMessageContaining("\"m3\": " + scene.topic + "-1@1; took effect 0 times")
                    .hasMessageContaining("claimed (attempt 1)");
        }
        go.countDown();
        withEffects().report().assertThat().handledOncePerId().deferredNothing();
    }

    @Test
    @DisplayName("what was in flight elsewhere was deferred, and only that")
    void deferred() {
        Set<String> seen = ConcurrentHashMap.newKeySet();
        var elsewhere = DedupAdapter.of(dedup)
                .admit(
                        io.dedup.adapter.Delivery.of(dedup.topic(scene.topic), "m1", null, () -> "elsewhere"),
                        io.dedup.adapter.WaitBudget.none());
        start((MessageListener<String, String>) record -> {
            seen.add(Scene.id(record));
            scene.effect().accept(record);
        });
        send(4);
        await().until(() -> timeline.events(scene.group, scene.topic, "m1").stream()
                .anyMatch(event -> event.kind() == Timeline.Kind.DEFERRED));
        ((io.dedup.adapter.Admission.Run) elsewhere).execution().giveBack();

        ReplayReport report = withEffects().report();
        report.assertThat().handledOncePerId();
        assertThatThrownBy(() -> report.assertThat().deferredNothing())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("deferred")
                .hasMessageContaining("deferred (IN_FLIGHT) by \"c-");
        assertThatThrownBy(() -> report.assertThat().deferredOnly("m1", "m0")).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> report.assertThat().deferredOnly()).isInstanceOf(AssertionError.class);
    }

    @Test
    @DisplayName("IDs that are hostile to terminals are escaped and shortened; missing and expected ones are named")
    void hostileIds() {
        startPlain(scene.container(AckMode.RECORD, effect()));
        String hostile = "\u001b[2J%s%n\u202e" + "x".repeat(200);
        scene.send(hostile);
        TopicReplay replay = withEffects();
        ReplayReport report = replay.all().bySendingAgain();

        assertThatThrownBy(() -> report.assertThat().handledOncePerId())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("\\u001b[2J%s%n\\u202exxx")
                .hasMessageContaining("… (209 characters)")
                .hasMessageNotContaining("\u001b")
                .hasMessageNotContaining("\u202e");

        scene.send(scene.record(0, null, "no ID"));
        assertThatThrownBy(() -> replay.report().assertThat().handledOncePerId())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("1 messages have no usable message ID")
                .hasMessageContaining(scene.topic + "-0@2");

        try (TopicReplay hasty =
                replay().effects(() -> scene.effects).atMost(SHORT).build()) {
            assertThatThrownBy(() -> hasty.expect(List.of("never sent"))
                            .report()
                            .assertThat()
                            .lostNothing())
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("expected, but not on the topic")
                    .hasMessageContaining("\"never sent\"");
        }
    }

    @Test
    @DisplayName(
            "rewinding to records that the broker has deleted meanwhile is refused: the group would skip what is left")
    void deletedMeanwhile() throws Exception {
        var container =
                scene.container(scene.properties(AckMode.RECORD, effect()), Map.of("auto.offset.reset", "latest"));
        scene.commitTheBegin(2);
        kafka.decorate(container);
        startPlain(container);
        send(20);
        TopicReplay replay = scene.closeLater(replay().effects(() -> scene.effects)
                .consumers(new StoppableConsumers() {
                    @Override
                    public void stop() {
                        container.stop();
                        scene.deleteRecords(1, 3);
                    }

                    @Override
                    public void start() {
                        container.start();
                    }
                })
                .build());

        assertThatThrownBy(() -> replay.all().byRewinding())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("to offset 0 of partition " + scene.topic + "-1:")
                .hasMessageContaining("now begins at offset 3");
        assertThat(container.isRunning()).isTrue();
        assertThat(scene.committed()).containsEntry(0, 10L).containsEntry(1, 10L);
        replay.all().byRewinding().assertThat().handledOncePerId(); // of what is left
    }

    @Test
    @DisplayName("records that are deleted while the topic is read hide none of those behind them")
    void deletedWhileRead() {
        start(effect());
        send(20);
        await().until(() -> scene.effects.size() == 20);
        MessageIdExtractor<ConsumerRecord<?, ?>> ids = KafkaMessageIds.header("id");
        AtomicBoolean deleted = new AtomicBoolean();
        // Records come one by one, so that most haven't been fetched when they are deleted.
        ReplayReport report = scene.closeLater(KafkaReplay.of(Map.of(
                                "bootstrap.servers", scene.bootstrap, "max.poll.records", 1, "fetch.max.bytes", 1))
                        .topic(scene.topic)
                        .group(scene.group)
                        .effects(() -> scene.effects)
                        .ids(record -> {
                            if (deleted.compareAndSet(false, true)) {
                                scene.deleteRecords(0, 6);
                                scene.deleteRecords(1, 6);
                            }
                            return ids.extract(record);
                        })
                        .atMost(LIMIT)
                        .build())
                .report();

        assertThat(report.ids()).contains("m12", "m13", "m14", "m15", "m16", "m17", "m18", "m19");
    }

    @Test
    @DisplayName("rewinding while a consumer that isn't named still runs is refused, with its name")
    void stillRunning() {
        ConcurrentMessageListenerContainer<String, String> named = start(effect());
        ConcurrentMessageListenerContainer<String, String> forgotten = start(effect());
        send(2);
        await().until(() -> !forgotten.getAssignedPartitions().isEmpty());
        withEffects().report();
        try (TopicReplay replay =
                replay().consumers(SpringContainers.of(named)).atMost(SHORT).build()) {
            assertThatThrownBy(() -> replay.all().byRewinding())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("still has members")
                    .hasMessageContaining("consumer-" + scene.group);
        }
        assertThat(named.isRunning()).isTrue();
    }
}
