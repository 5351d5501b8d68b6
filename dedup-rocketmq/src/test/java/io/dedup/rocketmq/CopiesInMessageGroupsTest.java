package io.dedup.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.Deduplicator;
import io.dedup.adapter.Execution;
import io.dedup.policy.DedupMode;
import io.dedup.policy.DedupPolicy;
import io.dedup.testservers.rocketmq.RocketMqServer.TopicType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.consumer.FilterExpression;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.apache.rocketmq.client.apis.consumer.SimpleConsumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * R8 on a real broker and real stores: copies whose firsts are deferred, in consumer groups that aren't FIFO, so that the
 * broker delivers a message group's next message before the one before it is acked.
 */
class CopiesInMessageGroupsTest {
    private final List<Integer> attempts = new CopyOnWriteArrayList<>();

    /** A deferral is long enough for the test to send a copy meanwhile; a standstill would outlast the test's patience. */
    private static UnaryOperator<DedupPolicy.Builder> policy(DedupMode mode) {
        return policy -> policy.mode(mode)
                .maxDeferDelay(Duration.ofSeconds(2))
                .maxProcessingTime(Scene.PATIENCE.multipliedBy(2));
    }

    private static Scene scene(DedupMode mode, Ledger ledger) {
        Scene scene = new Scene(TopicType.FIFO, 20, policy(mode), ledger.store, ledger.records);
        notFifo(scene, scene.group);
        return scene;
    }

    private static void notFifo(Scene scene, String group) {
        scene.server.createGroup(group, false, 20, Duration.ofMillis(100));
    }

    private MessageListener insert(Ledger ledger) {
        return message -> {
            ledger.insert(Scene.id(message));
            attempts.add(message.getDeliveryAttempt());
            return ConsumeResult.SUCCESS;
        };
    }

    /** What the broker hides for this long isn't delivered again because the machine stood still for a few seconds. */
    private static SimpleConsumerLoopBuilder settings(SimpleConsumerLoopBuilder loop) {
        return loop.invisibleDuration(Scene.PATIENCE).shutdownTimeout(Duration.ofSeconds(5));
    }

    private SimpleConsumerLoop loop(Scene scene, Ledger ledger) {
        return scene.loop(scene.builder().build(), insert(ledger), CopiesInMessageGroupsTest::settings);
    }

    private static void send(Scene scene, String id, String messageGroup) {
        scene.send(scene.message("v")
                .addProperty("id", id)
                .setTag(messageGroup)
                .setMessageGroup(messageGroup)
                .build());
    }

    private static void awaitDeferred(Scene scene, String... ids) {
        for (String id : ids) {
            await().until(() -> scene.count("deferred " + id) >= 1);
        }
    }

    private static void fail(Execution... elsewhere) {
        for (Execution each : elsewhere) {
            each.fail(new IllegalStateException("the other one failed"));
        }
    }

    private void awaitOneEffectEach(Ledger ledger, List<SimpleConsumerLoop> loops, String... ids) {
        await().untilAsserted(() -> {
            assertThat(ledger.effects()).containsExactlyInAnyOrder(ids);
            assertThat(loops).allMatch(loop -> loop.openMessages() == 0);
        });
        assertThat(attempts).containsOnly(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"LEASED", "LEASED_TRANSACTIONAL", "TIERED"})
    @DisplayName("R8 a copy behind its deferred first in one message group")
    void inOneGroup(DedupMode mode) {
        try (Ledger ledger = new Ledger(mode);
                Scene scene = scene(mode, ledger)) {
            Execution elsewhere = scene.runningElsewhere("x");
            SimpleConsumerLoop loop = loop(scene, ledger);
            send(scene, "x", "one");
            awaitDeferred(scene, "x");
            fail(elsewhere);
            send(scene, "x", "one");
            send(scene, "y", "one");
            await().until(() -> scene.duplicates("x") >= 1);
            awaitOneEffectEach(ledger, List.of(loop), "x", "y");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"LEASED", "LEASED_TRANSACTIONAL", "TIERED"})
    @DisplayName("R8 copies crosswise in two message groups of one loop")
    void crosswiseInTwoGroups(DedupMode mode) {
        try (Ledger ledger = new Ledger(mode);
                Scene scene = scene(mode, ledger)) {
            Execution x = scene.runningElsewhere("x");
            Execution y = scene.runningElsewhere("y");
            SimpleConsumerLoop loop = loop(scene, ledger);
            send(scene, "x", "one");
            send(scene, "y", "two");
            awaitDeferred(scene, "x", "y");
            fail(x, y);
            send(scene, "y", "one");
            send(scene, "x", "two");
            await().until(() -> scene.duplicates("x") >= 1 && scene.duplicates("y") >= 1);
            awaitOneEffectEach(ledger, List.of(loop), "x", "y");
        }
    }

    /** Each process receives one of the message groups, which the tests select by their tags. */
    private SimpleConsumerLoop process(Scene scene, Deduplicator dedup, String group, String tag, Ledger ledger)
            throws Exception {
        SimpleConsumer consumer = scene.closeLater(Scene.CLIENT
                .newSimpleConsumerBuilder()
                .setClientConfiguration(scene.client)
                .setConsumerGroup(group)
                .setSubscriptionExpressions(Map.of(scene.topic, new FilterExpression(tag)))
                .setAwaitDuration(Duration.ofSeconds(1))
                .build());
        return scene.closeLater(settings(RocketMqDedup.builder(dedup)
                        .id(RocketMqMessageIds.property("id"))
                        .build()
                        .loop(consumer, insert(ledger)))
                .start());
    }

    @ParameterizedTest
    @EnumSource(names = {"LEASED", "LEASED_TRANSACTIONAL", "TIERED"})
    @DisplayName("R8 copies crosswise in message groups that two processes receive")
    void crosswiseInTwoProcesses(DedupMode mode) throws Exception {
        try (Ledger ledger = new Ledger(mode);
                Scene scene = scene(mode, ledger)) {
            String second = scene.group + "-second";
            notFifo(scene, second);
            Execution x = scene.runningElsewhere("x");
            Execution y = scene.runningElsewhere("y");
            Deduplicator other = scene.closeLater(scene.deduplicator(policy(mode)));
            List<SimpleConsumerLoop> loops = List.of(
                    process(scene, scene.dedup, scene.group, "one", ledger),
                    process(scene, other, second, "two", ledger));
            send(scene, "x", "one");
            send(scene, "y", "two");
            awaitDeferred(scene, "x", "y");
            fail(x, y);
            send(scene, "y", "one");
            send(scene, "x", "two");
            await().until(() -> scene.duplicates("x") >= 1 && scene.duplicates("y") >= 1);
            awaitOneEffectEach(ledger, loops, "x", "y");
        }
    }
}
