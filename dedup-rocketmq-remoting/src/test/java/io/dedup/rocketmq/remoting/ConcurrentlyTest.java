package io.dedup.rocketmq.remoting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.adapter.Execution;
import io.dedup.policy.OnMissingId;
import io.dedup.store.memory.InMemoryDedupStore;
import io.dedup.testservers.PauselessClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageAccessor;
import org.apache.rocketmq.common.message.MessageConst;
import org.apache.rocketmq.common.message.MessageExt;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConcurrentlyTest {
    private final AtomicInteger calls = new AtomicInteger();

    @Test
    @DisplayName("what a producer sends twice takes effect once, and its copies are acked")
    void producerDuplicates() {
        try (Scene scene = new Scene(2)) {
            DefaultMQPushConsumer consumer = scene.start(scene.effect());
            scene.send("a", "b");
            scene.awaitEffects("a", "b");
            scene.send("a", "b", "a", "c");
            scene.awaitEffects("a", "b", "c");
            await().until(() -> scene.count("duplicate a") == 2 && scene.count("duplicate b") == 1);
            scene.awaitAllAcked(consumer);
            assertThat(scene.reconsumed).containsOnly(0);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"later", "null", "exception", "error", "ackIndex"})
    @DisplayName("whatever isn't CONSUME_SUCCESS releases, and the broker's retry, from another topic, runs it again")
    void failsOnce(String how) {
        try (Scene scene = new Scene(2)) {
            MessageListenerConcurrently effect = scene.effect();
            scene.start((List<MessageExt> messages, ConsumeConcurrentlyContext context) -> {
                context.setDelayLevelWhenNextConsume(1);
                if (calls.incrementAndGet() > 1) {
                    return effect.consumeMessage(messages, context);
                }
                return switch (how) {
                    case "later" -> ConsumeConcurrentlyStatus.RECONSUME_LATER;
                    case "null" -> null;
                    case "exception" -> throw new IllegalStateException("for once");
                    case "error" -> throw new StackOverflowError("for once");
                    default -> {
                        context.setAckIndex(-1);
                        yield ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
                    }
                };
            });
            scene.send("a");
            scene.awaitEffects("a");
            assertThat(scene.events).contains("released a").doesNotContain("deferred a");
            assertThat(scene.reconsumed).containsExactly(1);
        }
    }

    @Test
    @DisplayName("in flight elsewhere: waits, spends no attempt, is never acked, and runs when the other fails")
    void inFlight() {
        try (Scene scene = new Scene(2)) {
            Execution elsewhere = scene.runningElsewhere("a");
            DefaultMQPushConsumer consumer = scene.start(scene.effect());
            scene.send("a", "b");
            scene.awaitEffects("b");
            await().until(() -> scene.count("deferred a") >= 60); // longer than a lease
            assertThat(scene.effects).containsExactly("b");
            elsewhere.fail(new IllegalStateException("the other one failed"));
            scene.awaitEffects("b", "a");
            scene.awaitAllAcked(consumer);
            assertThat(scene.reconsumed).containsOnly(0);
        }
    }

    @Test
    @DisplayName("in flight longer than maxWait: sent back, and comes again")
    void inFlightLongerThanMaxWait() {
        try (Scene scene = new Scene(2)) {
            Execution elsewhere = scene.runningElsewhere("a");
            RemotingDedup dedup = scene.builder().maxWait(Duration.ofMillis(20)).build();
            scene.start(consumer -> {
                MessageListenerConcurrently decorated = dedup.decorate(scene.group, scene.effect());
                consumer.registerMessageListener((List<MessageExt> messages, ConsumeConcurrentlyContext context) -> {
                    context.setDelayLevelWhenNextConsume(1); // what is set outside is kept
                    return decorated.consumeMessage(messages, context);
                });
            });
            scene.send("a");
            await().until(() -> scene.count("deferred a") >= 4);
            elsewhere.fail(new IllegalStateException("the other one failed"));
            scene.awaitEffects("a");
            assertThat(scene.reconsumed).allMatch(times -> times > 0);
        }
    }

    @Test
    @DisplayName("close() ends the waits, which would go on for a minute: the message is sent back, not acked")
    void closeEndsWaits() {
        try (Scene scene = new Scene(2)) {
            Execution elsewhere = scene.runningElsewhere("a");
            RemotingDedup dedup = scene.builder().build();
            List<ConsumeConcurrentlyStatus> answers = new CopyOnWriteArrayList<>();
            scene.start(consumer -> {
                MessageListenerConcurrently decorated = dedup.decorate(scene.group, scene.effect());
                consumer.registerMessageListener((List<MessageExt> messages, ConsumeConcurrentlyContext context) -> {
                    ConsumeConcurrentlyStatus answer = decorated.consumeMessage(messages, context);
                    answers.add(answer);
                    return answer;
                });
            });
            scene.send("a");
            await().until(() -> scene.count("deferred a") >= 1);
            assertThat(answers).isEmpty();
            dedup.close();
            await().until(() -> !answers.isEmpty());
            assertThat(answers).containsExactly(ConsumeConcurrentlyStatus.RECONSUME_LATER);
            elsewhere.fail(new IllegalStateException("the other one failed"));
        }
    }

    @Test
    @DisplayName(
            "a batch with a failure in the middle: each takes effect once, and what is sent back comes as duplicates")
    void batch() {
        try (Scene scene = new Scene(1)) {
            for (int i = 0; i < 8; i++) {
                scene.send("m" + i);
            }
            List<Integer> sizes = new CopyOnWriteArrayList<>();
            DefaultMQPushConsumer started = scene.start(consumer -> {
                consumer.setConsumeMessageBatchMaxSize(8);
                MessageListenerConcurrently decorated = scene.builder()
                        .build()
                        .decorate(scene.group, (List<MessageExt> messages, ConsumeConcurrentlyContext context) -> {
                            assertThat(messages).hasSize(1);
                            context.setDelayLevelWhenNextConsume(1);
                            if (Scene.id(messages.get(0)).equals("m3") && calls.incrementAndGet() == 1) {
                                return ConsumeConcurrentlyStatus.RECONSUME_LATER;
                            }
                            scene.effect(messages.get(0));
                            return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
                        });
                consumer.registerMessageListener((List<MessageExt> messages, ConsumeConcurrentlyContext context) -> {
                    sizes.add(messages.size());
                    return decorated.consumeMessage(messages, context);
                });
            });
            scene.awaitEffects("m0", "m1", "m2", "m4", "m5", "m6", "m7", "m3");
            assertThat(sizes).first().isEqualTo(8);
            await().until(() -> scene.count("duplicate m7") == 1);
            scene.awaitAllAcked(started);
            assertThat(scene.events)
                    .containsExactlyInAnyOrder(
                            "released m3", "duplicate m4", "duplicate m5", "duplicate m6", "duplicate m7");
        }
    }

    @Test
    @DisplayName("R7 no key, or several: a missing ID, which by policy goes to the dead-letter queue without a retry")
    void keys() {
        try (Scene scene = new Scene(2)) {
            scene.start(consumer -> {
                consumer.registerMessageListener(RemotingDedup.builder(scene.dedup)
                        .id(RemotingMessageIds.key())
                        .build()
                        .decorate(scene.group, (List<MessageExt> messages, ConsumeConcurrentlyContext context) -> {
                            scene.effects.add(messages.get(0).getKeys());
                            return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
                        }));
            });
            for (String keys : new String[] {"", "x y", "z", "z"}) {
                Message message = new Message(scene.topic, "v".getBytes(StandardCharsets.UTF_8));
                message.setKeys(keys);
                scene.send(message);
            }
            scene.awaitEffects("z");
            scene.awaitDeadLetters(2);
            assertThat(scene.effects).containsExactly("z");
        }
    }

    @Test
    @DisplayName("R7 the client's message ID: the same after a retry, another one when an application sends again")
    void messageId() {
        try (Scene scene = new Scene(2)) {
            scene.start(consumer -> {
                consumer.registerMessageListener((List<MessageExt> messages, ConsumeConcurrentlyContext context) -> {
                    context.setDelayLevelWhenNextConsume(1);
                    if (calls.incrementAndGet() == 1) {
                        return ConsumeConcurrentlyStatus.RECONSUME_LATER;
                    }
                    scene.effect(messages.get(0));
                    return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
                });
                RemotingDedup.builder(scene.dedup)
                        .id(RemotingMessageIds.messageId())
                        .build()
                        .decorate(consumer);
            });
            String id = scene.send(scene.message("a")).getMsgId();
            scene.awaitEffects("a");
            assertThat(scene.reconsumed).containsExactly(1);
            assertThat(scene.events).containsExactly("released " + id);
            scene.send("a");
            scene.awaitEffects("a", "a");
        }
    }

    @Test
    @DisplayName("an offset reset: the whole topic comes again, and takes no second effect")
    void offsetReset() {
        try (Scene scene = new Scene(2)) {
            scene.start(scene.effect());
            scene.send("a", "b", "c");
            scene.awaitEffects("a", "b", "c");
            scene.server.resetOffset(scene.topic, scene.group);
            // The broker holds a pull for up to 20 s, then the client waits 10 s, and up to 20 s for its next
            // rebalance.
            await().until(() ->
                    scene.count("duplicate a") + scene.count("duplicate b") + scene.count("duplicate c") >= 3);
            scene.send("d");
            scene.awaitEffects("a", "b", "c", "d");
        }
    }

    @Test
    @DisplayName("a second group under the same consumer name handles nothing and loses nothing")
    void secondGroup() {
        try (Scene scene = new Scene(2)) {
            RemotingDedup dedup = scene.builder().build();
            scene.start(consumer -> consumer.registerMessageListener(dedup.decorate(scene.group, scene.effect())));
            scene.send("a");
            scene.awaitEffects("a");
            MessageExt message = new MessageExt();
            message.setTopic(scene.topic);
            ConsumeConcurrentlyContext context = new ConsumeConcurrentlyContext(null);
            assertThat(dedup.decorate("mail", scene.effect()).consumeMessage(List.of(message), context))
                    .isEqualTo(ConsumeConcurrentlyStatus.RECONSUME_LATER);
            assertThat(context.getDelayLevelWhenNextConsume()).isZero(); // retried: the mistake can be mended
            assertThat(scene.effects).containsExactly("a");
        }
    }

    /** As an application sends a message that it has consumed on to another topic: with the properties of its retries. */
    private static Message forwarded(Scene scene, String id, String fromTopic) {
        Message message = scene.message(id);
        MessageAccessor.putProperty(message, MessageConst.PROPERTY_RETRY_TOPIC, fromTopic);
        return message;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("what was retried in another topic and then forwarded belongs to this topic, also when it is retried")
    void forwarded(boolean doneThere) throws Exception {
        try (Scene scene = new Scene(1)) {
            String there = "orders-" + scene.topic;
            if (doneThere) {
                scene.dedup.execute(scene.dedup.key(there, "a"), context -> null);
                scene.dedup.execute(scene.dedup.key(there, "b"), context -> null);
            }
            scene.send(forwarded(scene, "a", there));
            scene.send(forwarded(scene, "b", there)); // in the same batch: done, and sent back behind the failure
            DefaultMQPushConsumer started = scene.start(consumer -> {
                consumer.setConsumeMessageBatchMaxSize(8);
                MessageListenerConcurrently effect = scene.effect();
                consumer.registerMessageListener((List<MessageExt> messages, ConsumeConcurrentlyContext context) -> {
                    context.setDelayLevelWhenNextConsume(1);
                    return Scene.id(messages.get(0)).equals("a") && calls.incrementAndGet() == 1
                            ? ConsumeConcurrentlyStatus.RECONSUME_LATER
                            : effect.consumeMessage(messages, context);
                });
                scene.builder().build().decorate(consumer);
            });
            await().until(() -> scene.count("duplicate b") == 1); // sent back with the failure
            scene.awaitEffects("b", "a");
            scene.send("a", "b");
            scene.send(forwarded(scene, "a", there));
            await().until(() -> scene.count("duplicate a") == 2 && scene.count("duplicate b") == 2);
            scene.awaitAllAcked(started);
            scene.awaitEffects("b", "a");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("behind a failure in a batch, what no record would recognize isn't run before it is redelivered")
    void unguardedBehindFailure(boolean shadow) {
        try (Scene scene = new Scene(
                1,
                policy -> policy.shadow(shadow).onMissingId(OnMissingId.PROCESS),
                new InMemoryDedupStore(PauselessClock.get(), InMemoryDedupStore.DEFAULT_ATTEMPT_RETENTION))) {
            for (int i = 0; i < 4; i++) {
                Message message = scene.message("m" + i);
                if (shadow) {
                    message.setKeys("m" + i);
                }
                scene.send(message);
            }
            AtomicInteger deliveries = new AtomicInteger();
            scene.start(consumer -> {
                consumer.setConsumeMessageBatchMaxSize(8);
                MessageListenerConcurrently effect = scene.effect();
                MessageListenerConcurrently decorated = RemotingDedup.builder(scene.dedup)
                        .id(RemotingMessageIds.key())
                        .build()
                        .decorate(scene.group, (List<MessageExt> messages, ConsumeConcurrentlyContext context) -> {
                            context.setDelayLevelWhenNextConsume(1);
                            return Scene.id(messages.get(0)).equals("m1") && calls.incrementAndGet() == 1
                                    ? ConsumeConcurrentlyStatus.RECONSUME_LATER
                                    : effect.consumeMessage(messages, context);
                        });
                consumer.registerMessageListener((List<MessageExt> messages, ConsumeConcurrentlyContext context) -> {
                    ConsumeConcurrentlyStatus answer = decorated.consumeMessage(messages, context);
                    deliveries.addAndGet(messages.size());
                    return answer;
                });
            });
            await().until(() -> deliveries.get() == 7); // the failure and the two behind it came again
            assertThat(scene.effects).containsExactlyInAnyOrder("m0", "m1", "m2", "m3");
        }
    }

    @Test
    @DisplayName("dead letters, read concurrently: a letter that fails is redelivered as one of its dead-letter queue")
    void deadLettersAgain() {
        try (Scene scene = new Scene(1)) {
            String letters = "%DLQ%" + scene.group;
            scene.start((List<MessageExt> messages, ConsumeConcurrentlyContext context) -> {
                context.setDelayLevelWhenNextConsume(-1);
                return ConsumeConcurrentlyStatus.RECONSUME_LATER;
            });
            scene.send("a");
            scene.awaitDeadLetters(1);
            List<String> topics = new CopyOnWriteArrayList<>();
            scene.start(consumer -> {
                consumer.setConsumerGroup(scene.group + "-letters");
                consumer.unsubscribe(scene.topic);
                consumer.registerMessageListener((List<MessageExt> messages, ConsumeConcurrentlyContext context) -> {
                    context.setDelayLevelWhenNextConsume(1);
                    topics.add(messages.get(0).getTopic());
                    return calls.incrementAndGet() == 1
                            ? ConsumeConcurrentlyStatus.RECONSUME_LATER
                            : ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
                });
                try {
                    consumer.subscribe(letters, "*");
                } catch (MQClientException e) {
                    throw new IllegalStateException(e);
                }
                scene.builder().build().decorate(consumer);
            });
            await().untilAsserted(() -> assertThat(topics).containsExactly(letters, letters));
        }
    }
}
