package io.dedup.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.adapter.Execution;
import io.dedup.policy.OnMissingId;
import io.dedup.testservers.rocketmq.RocketMqServer.TopicType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PushConsumerTest {
    private final AtomicInteger calls = new AtomicInteger();
    private final List<Integer> attempts = new CopyOnWriteArrayList<>();

    private MessageListener effect(Scene scene) {
        return message -> {
            attempts.add(message.getDeliveryAttempt());
            scene.effects.add(Scene.id(message));
            return ConsumeResult.SUCCESS;
        };
    }

    @Test
    @DisplayName("what a producer sends twice takes effect once, and its copies are acked")
    void producerDuplicates() {
        try (Scene scene = Scene.normal()) {
            scene.start(effect(scene));
            scene.send("a", "b");
            scene.awaitEffects("a", "b");
            scene.send("a", "b", "a", "c");
            scene.awaitEffects("a", "b", "c");
            await().until(() -> scene.count("duplicate a") == 2 && scene.count("duplicate b") == 1);
            assertThat(attempts).containsOnly(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"failure", "null", "exception", "error"})
    @DisplayName("R1 whatever isn't SUCCESS releases, and the broker's retry runs the handler again")
    void failsOnce(String how) {
        try (Scene scene = Scene.normal()) {
            scene.start(message -> {
                if (calls.incrementAndGet() > 1) {
                    return effect(scene).consume(message);
                }
                return switch (how) {
                    case "failure" -> ConsumeResult.FAILURE;
                    case "null" -> null;
                    case "exception" -> throw new IllegalStateException("for once");
                    default -> throw new StackOverflowError("for once");
                };
            });
            scene.send("a");
            scene.awaitEffects("a");
            assertThat(scene.events).contains("released a").doesNotContain("deferred a");
            assertThat(attempts).containsExactly(2);
        }
    }

    @ParameterizedTest(name = "push={0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("a listener of two arguments is told its attempt, and a fencing token that grows")
    void context(boolean push) throws Exception {
        try (Scene scene = Scene.normal()) {
            List<Long> tokens = new CopyOnWriteArrayList<>();
            ContextMessageListener listener = (message, context) -> {
                attempts.add(context.attempt());
                tokens.add(context.fencingToken());
                if (context.attempt() == 1) {
                    return ConsumeResult.FAILURE;
                }
                return effect(scene).consume(message);
            };
            RocketMqDedup rocket = scene.builder().build();
            if (push) {
                MessageListener decorated = rocket.decorate(scene.group, listener);
                assertThat(decorated.consume(new PlayedMessage(scene.topic))).isEqualTo(ConsumeResult.FAILURE);
                assertThat(decorated.consume(new PlayedMessage(scene.topic))).isEqualTo(ConsumeResult.SUCCESS);
                assertThat(decorated.consume(new PlayedMessage(scene.topic))).isEqualTo(ConsumeResult.SUCCESS);
                scene.awaitEffects("played");
            } else {
                scene.closeLater(rocket.loop(scene.closeLater(scene.simpleConsumer(scene.group, scene.topic)), listener)
                        .retryDelay(attempt -> Duration.ofMillis(200))
                        .start());
                scene.send("a");
                scene.awaitEffects("a");
            }
            assertThat(attempts).startsWith(1, 2);
            assertThat(tokens).hasSize(2).isSorted().doesNotHaveDuplicates();
        }
    }

    @Test
    @DisplayName("R2 in flight elsewhere: waits, spends no attempt, is never acked, and runs when the other fails")
    void inFlight() {
        try (Scene scene = new Scene(TopicType.NORMAL, 1, policy -> policy)) {
            Execution elsewhere = scene.runningElsewhere("a");
            scene.start(effect(scene));
            scene.send("a", "b");
            scene.awaitEffects("b");
            await().until(() -> scene.count("deferred a") >= 60); // longer than a lease
            assertThat(scene.effects).containsExactly("b");
            elsewhere.fail(new IllegalStateException("the other one failed"));
            scene.awaitEffects("b", "a");
            assertThat(attempts).containsOnly(1);
        }
    }

    @Test
    @DisplayName("R2 in flight longer than maxWait: the delivery fails, and comes again")
    void inFlightLongerThanMaxWait() {
        try (Scene scene = Scene.normal()) {
            Execution elsewhere = scene.runningElsewhere("a");
            scene.start(scene.builder().maxWait(Duration.ofMillis(20)).build(), scene.group, effect(scene));
            scene.send("a");
            await().until(() -> scene.count("deferred a") >= 4);
            elsewhere.fail(new IllegalStateException("the other one failed"));
            scene.awaitEffects("a");
            assertThat(attempts).allMatch(attempt -> attempt > 1);
        }
    }

    @Test
    @DisplayName("R3 FIFO: a failure blocks its group, is retried in place, and the order is kept")
    void fifo() {
        try (Scene scene = new Scene(TopicType.FIFO, 5, policy -> policy)) {
            var failed = ConcurrentHashMap.newKeySet();
            scene.start(message -> {
                scene.events.add("call " + Scene.id(message));
                if (Scene.id(message).equals("b") && failed.add("b")) {
                    return ConsumeResult.FAILURE;
                }
                return effect(scene).consume(message);
            });
            for (String id : List.of("a", "b", "a", "c")) {
                scene.send(scene.message("v")
                        .addProperty("id", id)
                        .setMessageGroup("one")
                        .build());
            }
            await().until(() -> scene.effects.size() == 3);
            assertThat(scene.effects).containsExactly("a", "b", "c");
            assertThat(scene.events)
                    .containsSubsequence("call a", "call b", "released b", "call b", "duplicate a", "call c");
        }
    }

    @Test
    @DisplayName("R3 FIFO: a message that fails for good goes to the dead-letter queue, and the next ones are handled")
    void fifoDeadLetter() {
        try (Scene scene = new Scene(TopicType.FIFO, 1, policy -> policy)) {
            scene.start(message -> Scene.id(message).equals("bad")
                    ? ConsumeResult.FAILURE
                    : effect(scene).consume(message));
            for (String id : List.of("bad", "b")) {
                scene.send(scene.message("v")
                        .addProperty("id", id)
                        .setMessageGroup("one")
                        .build());
            }
            scene.awaitEffects("b");
            scene.awaitDeadLetters(1);
            assertThat(scene.count("released bad")).isEqualTo(2);
        }
    }

    @Test
    @DisplayName("R7 no key, or several: a missing ID, which fails by policy and ends in the dead-letter queue")
    void keys() {
        try (Scene scene = new Scene(TopicType.NORMAL, 1, policy -> policy.onMissingId(OnMissingId.FAIL))) {
            scene.start(
                    RocketMqDedup.builder(scene.dedup)
                            .id(RocketMqMessageIds.key())
                            .build(),
                    scene.group,
                    message -> {
                        scene.effects.addAll(message.getKeys());
                        return ConsumeResult.SUCCESS;
                    });
            scene.send(scene.message("v").build());
            scene.send(scene.message("v").setKeys("x", "y").build());
            scene.send(scene.message("v").setKeys("z").build());
            scene.send(scene.message("v").setKeys("z").build());
            scene.awaitEffects("z");
            scene.awaitDeadLetters(2);
            assertThat(scene.effects).containsExactly("z");
        }
    }

    @Test
    @DisplayName("a second group under the same consumer name handles nothing and loses nothing")
    void secondGroup() {
        try (Scene scene = Scene.normal()) {
            RocketMqDedup rocket = scene.builder().build();
            scene.start(rocket, scene.group, effect(scene));
            scene.send("a");
            scene.awaitEffects("a");
            String second = "mail-" + scene.topic;
            scene.server.createGroup(second, false, 1, Duration.ofMillis(100));
            assertThat(rocket.decorate(second, effect(scene)).consume(new PlayedMessage(scene.topic)))
                    .isEqualTo(ConsumeResult.FAILURE);
            assertThat(scene.effects).containsExactly("a");
        }
    }
}
