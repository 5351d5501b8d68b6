package io.dedup.rocketmq.remoting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupOutcome.Completion;
import io.dedup.Deduplicator;
import io.dedup.adapter.WaitBudget;
import io.dedup.store.memory.InMemoryDedupStore;
import io.dedup.testservers.PauselessClock;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.common.message.MessageExt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Why a message is a duplicate")
class DuplicateCauseTest {
    private final Scene scene = new Scene(
            1,
            policy -> policy.explainDuplicates(true),
            new InMemoryDedupStore(PauselessClock.get(), InMemoryDedupStore.DEFAULT_ATTEMPT_RETENTION));

    @AfterEach
    void close() {
        scene.close();
    }

    private void awaitCauses(String... causes) {
        await().untilAsserted(() -> assertThat(scene.causes).containsExactly(causes));
    }

    @Test
    @DisplayName("resent: another message with the same ID. Concurrent: in flight elsewhere")
    void resent() {
        var elsewhere = scene.runningElsewhere("b");
        scene.start(scene.effect());
        scene.send("a");
        scene.awaitEffects("a");
        scene.send("a", "b");
        await().until(() -> scene.count("deferred b") > 0);
        assertThat(elsewhere.succeed(null, WaitBudget.none())).isEqualTo(Completion.DONE);
        await().untilAsserted(() -> assertThat(scene.causes).containsExactlyInAnyOrder("resent a", "concurrent b"));
    }

    @Test
    @DisplayName(
            "redelivered: the message was handled, and then sent back to the broker, which delivers it from another queue")
    void redelivered() {
        AtomicInteger calls = new AtomicInteger();
        RemotingDedup dedup = scene.builder().build();
        MessageListenerConcurrently decorated = dedup.decorate(scene.group, scene.effect());
        scene.start(consumer ->
                consumer.registerMessageListener((List<MessageExt> messages, ConsumeConcurrentlyContext context) -> {
                    ConsumeConcurrentlyStatus status = decorated.consumeMessage(messages, context);
                    context.setDelayLevelWhenNextConsume(1);
                    return calls.incrementAndGet() == 1 ? ConsumeConcurrentlyStatus.RECONSUME_LATER : status;
                }));
        scene.send("a");
        awaitCauses("redelivered a");
        assertThat(scene.effects).containsExactly("a");
    }

    @ParameterizedTest(name = "otherProcess={0}")
    @ValueSource(booleans = {true, false})
    @DisplayName(
            "replayed: the group's offset was reset below what it had consumed, as the same process or the records prove")
    void replayed(boolean otherProcess) {
        RemotingDedup dedup = scene.builder().build();
        DefaultMQPushConsumer consumer = scene.start(each -> {
            each.registerMessageListener(scene.effect());
            dedup.decorate(each);
        });
        for (String id : List.of("a", "b", "c")) {
            scene.send(id);
            scene.awaitAllAcked(consumer);
        }
        consumer.shutdown();
        scene.server.resetOffset(scene.topic, scene.group);
        Deduplicator other = scene.closeLater(scene.deduplicator(policy -> policy.explainDuplicates(true)));
        RemotingDedup next = otherProcess
                ? RemotingDedup.builder(other)
                        .id(RemotingMessageIds.property("id"))
                        .build()
                : dedup;
        scene.start(each -> {
            each.setConsumeThreadMin(1);
            each.setConsumeThreadMax(1);
            each.registerMessageListener(scene.effect());
            next.decorate(each);
        });
        // Before the first proof, which comes with the second record.
        awaitCauses(otherProcess ? "redelivered a" : "replayed a", "replayed b", "replayed c");
        assertThat(scene.effects).containsExactly("a", "b", "c");
    }
}
