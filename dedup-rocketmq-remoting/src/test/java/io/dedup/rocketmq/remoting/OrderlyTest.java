package io.dedup.rocketmq.remoting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.adapter.Execution;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerOrderly;
import org.apache.rocketmq.common.message.MessageExt;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A topic of one queue, whose order must be kept. */
class OrderlyTest {
    private final Set<String> failed = ConcurrentHashMap.newKeySet();

    private static MessageListenerOrderly effect(Scene scene) {
        return (messages, context) -> {
            scene.effect(messages.get(0));
            return ConsumeOrderlyStatus.SUCCESS;
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"suspend", "null", "exception", "error", "rollback", "autoCommit"})
    @DisplayName("R3 a failure in the middle suspends the queue, runs again, and the order is kept")
    void failure(String how) {
        try (Scene scene = new Scene(1)) {
            DefaultMQPushConsumer consumer =
                    scene.startOrderly((List<MessageExt> messages, ConsumeOrderlyContext context) -> {
                        scene.events.add("call " + Scene.id(messages.get(0)));
                        if (Scene.id(messages.get(0)).equals("b") && failed.add("b")) {
                            return fail(how, context);
                        }
                        return effect(scene).consumeMessage(messages, context);
                    });
            scene.send("a", "b", "a", "c");
            await().until(() -> scene.effects.size() == 3);
            assertThat(scene.effects).containsExactly("a", "b", "c");
            assertThat(scene.events)
                    .containsExactly("call a", "call b", "released b", "call b", "duplicate a", "call c");
            scene.awaitAllAcked(consumer);
        }
    }

    @SuppressWarnings("deprecation") // what listeners return all the same
    private static ConsumeOrderlyStatus fail(String how, ConsumeOrderlyContext context) {
        return switch (how) {
            case "suspend" -> ConsumeOrderlyStatus.SUSPEND_CURRENT_QUEUE_A_MOMENT;
            case "null" -> null;
            case "exception" -> throw new IllegalStateException("for once");
            case "error" -> throw new StackOverflowError("for once");
            case "rollback" -> ConsumeOrderlyStatus.ROLLBACK;
            default -> {
                context.setAutoCommit(false);
                yield ConsumeOrderlyStatus.SUCCESS;
            }
        };
    }

    @Test
    @DisplayName("a batch with a failure in the middle: those before it come again as duplicates, each has one effect")
    void batch() {
        try (Scene scene = new Scene(1)) {
            scene.send("a", "b", "c", "d");
            DefaultMQPushConsumer started = scene.start(consumer -> {
                consumer.setConsumeMessageBatchMaxSize(8);
                consumer.registerMessageListener((List<MessageExt> messages, ConsumeOrderlyContext context) -> {
                    assertThat(messages).hasSize(1);
                    context.setSuspendCurrentQueueTimeMillis(20);
                    if (Scene.id(messages.get(0)).equals("c") && failed.add("c")) {
                        return ConsumeOrderlyStatus.SUSPEND_CURRENT_QUEUE_A_MOMENT;
                    }
                    return effect(scene).consumeMessage(messages, context);
                });
                scene.builder().build().decorate(consumer);
            });
            await().until(() -> scene.effects.size() == 4);
            assertThat(scene.effects).containsExactly("a", "b", "c", "d");
            assertThat(scene.events).containsExactly("released c", "duplicate a", "duplicate b");
            scene.awaitAllAcked(started);
        }
    }

    @Test
    @DisplayName("in flight elsewhere: waits in its place of the queue, spends no attempt")
    void inFlight() {
        try (Scene scene = new Scene(1)) {
            Execution elsewhere = scene.runningElsewhere("b");
            scene.startOrderly(effect(scene));
            scene.send("a", "b", "c");
            await().until(() -> scene.count("deferred b") >= 60); // longer than a lease
            assertThat(scene.effects).containsExactly("a");
            elsewhere.fail(new IllegalStateException("the other one failed"));
            await().until(() -> scene.effects.size() == 3);
            assertThat(scene.effects).containsExactly("a", "b", "c");
            assertThat(scene.reconsumed).containsOnly(0);
        }
    }

    @Test
    @DisplayName(
            "with maxReconsumeTimes: waits that end without a decision spend no attempt, and nothing is dead-lettered unhandled")
    void deferredBeyondLimitOfAttempts() {
        try (Scene scene = new Scene(1)) {
            Execution elsewhere = scene.runningElsewhere("b");
            RemotingDedup dedup = scene.builder().maxWait(Duration.ofMillis(20)).build();
            List<ConsumeOrderlyStatus> answers = new CopyOnWriteArrayList<>();
            scene.start(consumer -> {
                consumer.setMaxReconsumeTimes(1);
                consumer.setSuspendCurrentQueueTimeMillis(20);
                MessageListenerOrderly decorated = dedup.decorate(scene.group, effect(scene));
                consumer.registerMessageListener((List<MessageExt> messages, ConsumeOrderlyContext context) -> {
                    ConsumeOrderlyStatus answer = decorated.consumeMessage(messages, context);
                    answers.add(answer);
                    return answer;
                });
            });
            scene.send("a", "b", "c");
            await().until(() -> answers.size() >= 5);
            assertThat(scene.effects).containsExactly("a");
            elsewhere.fail(new IllegalStateException("the other one failed"));
            await().until(() -> scene.effects.size() == 3);
            assertThat(scene.effects).containsExactly("a", "b", "c");
            assertThat(scene.reconsumed).containsOnly(0);
        }
    }

    @Test
    @DisplayName(
            "a message that fails for good goes to the dead-letter queue after maxReconsumeTimes, the next ones go on")
    void deadLetter() {
        try (Scene scene = new Scene(1)) {
            scene.start(consumer -> {
                consumer.setMaxReconsumeTimes(1);
                consumer.setSuspendCurrentQueueTimeMillis(20);
                consumer.registerMessageListener((List<MessageExt> messages, ConsumeOrderlyContext context) ->
                        Scene.id(messages.get(0)).equals("bad")
                                ? ConsumeOrderlyStatus.SUSPEND_CURRENT_QUEUE_A_MOMENT
                                : effect(scene).consumeMessage(messages, context));
                scene.builder().build().decorate(consumer);
            });
            scene.send("bad", "b");
            scene.awaitEffects("b");
            scene.awaitDeadLetters(1);
            assertThat(scene.count("released bad")).isEqualTo(2);
        }
    }
}
