package io.dedup.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.memory.InMemoryDedupStore;
import io.dedup.testkit.replay.ReplayReport;
import io.dedup.testkit.replay.Timeline;
import io.dedup.testkit.replay.TopicReplay;
import io.dedup.testkit.rocketmq.ListenerWatch;
import io.dedup.testkit.rocketmq.RocketMqReplay;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.rocketmq.client.apis.ClientConfiguration;
import org.apache.rocketmq.client.apis.ClientException;
import org.apache.rocketmq.client.apis.ClientServiceProvider;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.consumer.FilterExpression;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.apache.rocketmq.client.apis.consumer.PushConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What the testkit says of push listeners that are right, and of listeners that aren't. */
class TopicReplayTest {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final Duration SHORT = Duration.ofSeconds(6);

    private final Scene scene = Scene.normal();
    private final Timeline timeline = new Timeline();
    private final ListenerWatch watch = new ListenerWatch();
    private final Deduplicator dedup = Deduplicators.builder(new InMemoryDedupStore())
            .consumer(scene.group)
            .shutdownTimeout(Duration.ZERO)
            .defaults(DedupPolicy.builder().lease(Duration.ofSeconds(20)).build())
            .listener(timeline)
            .build();

    @AfterEach
    void close() {
        scene.close();
        dedup.close();
    }

    private MessageListener decorated(MessageListener listener) {
        return RocketMqDedup.builder(dedup)
                .id(RocketMqMessageIds.property("id"))
                .build()
                .decorate(scene.group, listener);
    }

    private MessageListener effect() {
        return message -> {
            scene.effects.add(Scene.id(message));
            return ConsumeResult.SUCCESS;
        };
    }

    private void start(MessageListener listener) throws ClientException {
        ClientServiceProvider provider = Scene.CLIENT;
        ClientConfiguration client = scene.client;
        String group = scene.group;
        String topic = scene.topic;
        // docs:begin
        PushConsumer consumer = provider.newPushConsumerBuilder()
                .setClientConfiguration(client)
                .setConsumerGroup(group)
                .setSubscriptionExpressions(Map.of(topic, FilterExpression.SUB_ALL))
                .setMessageListener(watch.around(listener)) // ListenerWatch watch = new ListenerWatch()
                .build();
        // docs:end
        scene.closeLater(consumer);
    }

    private RocketMqReplay replay() {
        return RocketMqReplay.of(scene.client, watch)
                .topic(scene.topic)
                .group(scene.group)
                .ids(RocketMqMessageIds.property("id"))
                .timeline(timeline)
                .effects(() -> scene.effects)
                .atMost(LIMIT);
    }

    @Test
    @DisplayName("sent again and rewound: a listener that is right passes")
    void right() throws ClientException {
        AtomicBoolean failed = new AtomicBoolean();
        start(decorated(message -> Scene.id(message).equals("c") && failed.compareAndSet(false, true)
                ? ConsumeResult.FAILURE
                : effect().consume(message)));
        TopicReplay replay =
                scene.closeLater(replay().resettingOffsetsBy(() -> scene.server.resetOffset(scene.topic, scene.group))
                        .build());
        scene.send("a", "b", "c");
        replay.expect(List.of("a", "b", "c"));
        replay.report().assertThat().handledOncePerId();

        ReplayReport report = replay.all()
                .times(2)
                .shuffled(7)
                .alongside(() -> scene.send("live"))
                .bySendingAgain();
        report.assertThat().handledOncePerId().ackedDuplicates();
        assertThat(report.copies("a")).hasSize(3);
        assertThat(report.timeline("c"))
                .extracting(Timeline.Event::kind)
                .contains(Timeline.Kind.DELIVERED, Timeline.Kind.FAILED, Timeline.Kind.RELEASED)
                .contains(Timeline.Kind.CLAIMED, Timeline.Kind.COMPLETED, Timeline.Kind.DUPLICATE, Timeline.Kind.ACKED);

        replay.expect(List.of("live"));
        replay.since(Instant.EPOCH)
                .byRewinding()
                .assertThat()
                .handledOncePerId()
                .ackedDuplicates();
        assertThat(scene.effects).containsExactlyInAnyOrder("a", "b", "c", "live");
    }

    @Test
    @DisplayName("broken: a listener without dedup doubles, and cannot be rewound without a tool")
    void withoutDedup() throws ClientException {
        start(effect());
        scene.send("a", "\u202eevil");
        TopicReplay replay = scene.closeLater(replay().build()).expect(List.of("a", "\u202eevil"));
        replay.report().assertThat().handledOncePerId();

        ReplayReport report = replay.ids("\u202eevil").bySendingAgain();

        assertThatThrownBy(() -> report.assertThat().handledOncePerId())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("1 message took effect more than once")
                .hasMessageContaining("\"\\u202eevil\": " + scene.topic + "/")
                .hasMessageContaining("delivered (message ")
                .hasMessageContaining("the listener isn't decorated")
                .hasMessageNotContaining("\u202e");
        assertThatThrownBy(() -> replay.all().byRewinding())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("resettingOffsetsBy");
    }

    @Test
    @DisplayName("broken: a listener that answers before its work is done is caught although the effect follows")
    void acksEarly() throws ClientException {
        CountDownLatch caught = new CountDownLatch(1);
        start(message -> {
            CompletableFuture<Void> unused = CompletableFuture.runAsync(() -> {
                try {
                    caught.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                scene.effects.add(Scene.id(message));
            });
            return ConsumeResult.SUCCESS;
        });
        scene.send("a");
        TopicReplay replay = scene.closeLater(replay().build()).expect(List.of("a"));

        ReplayReport early = replay.report();
        caught.countDown();
        await().until(() -> !scene.effects.isEmpty());

        assertThatThrownBy(() -> early.assertThat().lostNothing())
                .hasMessageContaining("lost: acknowledged without an effect");
        assertThatThrownBy(() -> replay.report().assertThat().handledOncePerId())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("acknowledged before the effect");
    }

    @Test
    @DisplayName("broken: a listener that loses a message, and one that never succeeds")
    void loses() throws ClientException {
        start(decorated(message -> switch (Scene.id(message)) {
            case "lost" -> ConsumeResult.SUCCESS;
            case "stuck" -> ConsumeResult.FAILURE;
            default -> effect().consume(message);
        }));
        scene.send("a", "lost");
        TopicReplay replay = scene.closeLater(replay().build()).expect(List.of("a", "lost"));
        assertThatThrownBy(() -> replay.report().assertThat().handledOncePerId())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("1 message lost: acknowledged without an effect")
                .hasMessageContaining("\"lost\"")
                .hasMessageContaining("completed (handler took");

        scene.send("stuck");
        try (TopicReplay hasty = replay().atMost(SHORT).build().expect(List.of("stuck"))) {
            assertThatThrownBy(hasty::report)
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("has not acknowledged 1 messages")
                    .hasMessageContaining("\"stuck\"")
                    .hasMessageContaining("failed (message ");
        }
    }
}
