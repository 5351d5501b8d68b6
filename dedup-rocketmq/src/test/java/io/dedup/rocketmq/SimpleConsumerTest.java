package io.dedup.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.Deduplicator;
import io.dedup.LiveLease;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import io.dedup.testservers.rocketmq.RocketMqServer.TopicType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SimpleConsumerTest {
    private static final Duration LONGER_THAN_INVISIBLE = Scene.INVISIBLE.plusSeconds(2);

    private final AtomicInteger calls = new AtomicInteger();
    private final List<Integer> attempts = new CopyOnWriteArrayList<>();

    private MessageListener effect(Scene scene) {
        return message -> {
            attempts.add(message.getDeliveryAttempt());
            scene.effects.add(Scene.id(message));
            return ConsumeResult.SUCCESS;
        };
    }

    private static void sendInOrder(Scene scene, String... ids) {
        for (String id : ids) {
            scene.send(scene.message("v")
                    .addProperty("id", id)
                    .setMessageGroup("one")
                    .build());
        }
    }

    @Test
    @DisplayName("what a producer sends twice takes effect once, and everything is acked")
    void producerDuplicates() {
        try (Scene scene = Scene.normal()) {
            scene.send("a", "b", "a", "a", "c");
            SimpleConsumerLoop loop = scene.loop(effect(scene));
            scene.awaitEffects("a", "b", "c");
            scene.send("b", "d", "a");
            scene.awaitEffects("a", "b", "c", "d");
            await().untilAsserted(() -> {
                // At least: a copy in a batch that is deferred with its first is told again when it comes again.
                assertThat(scene.duplicates("a", "b"))
                        .as(scene.events::toString)
                        .isGreaterThanOrEqualTo(4);
                assertThat(loop.openMessages()).isZero();
            });
            scene.assertNothingLeft(loop);
            assertThat(attempts).containsOnly(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"failure", "null", "exception", "error"})
    @DisplayName("R1 whatever isn't SUCCESS releases, and the message comes again after the retry delay")
    void failsOnce(String how) {
        try (Scene scene = Scene.normal()) {
            scene.loop(message -> {
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

    @Test
    @DisplayName("R3 a copy in the same batch gets its first's answer: when that one fails, both come again")
    void copyOfAFailedRun() {
        try (Scene scene = Scene.normal()) {
            scene.send("a", "a", "a", "a", "a", "a"); // before the loop begins: a batch has some of them
            SimpleConsumerLoop loop = scene.loop(message -> calls.incrementAndGet() == 1
                    ? ConsumeResult.FAILURE
                    : effect(scene).consume(message));
            scene.awaitEffects("a");
            await().untilAsserted(() -> {
                // Five others, and once more each copy of the run that failed.
                assertThat(scene.duplicates("a")).as(scene.events::toString).isGreaterThan(5);
                assertThat(loop.openMessages()).isZero();
            });
            assertThat(scene.effects).containsExactly("a");
        }
    }

    @Test
    @DisplayName("R5 in flight elsewhere: kept, spends no attempt, is never acked, and runs when the other fails")
    void inFlight() {
        try (Scene scene = new Scene(TopicType.NORMAL, 1, policy -> policy)) {
            Execution elsewhere = scene.runningElsewhere("a");
            scene.loop(effect(scene));
            scene.send("a", "b");
            scene.awaitEffects("b");
            // longer than its invisible time
            await().until(() -> scene.count("deferred a") >= 200);
            assertThat(scene.effects).containsExactly("b");
            elsewhere.fail(new IllegalStateException("the other one failed"));
            scene.awaitEffects("b", "a");
            assertThat(attempts).containsOnly(1);
        }
    }

    @Test
    @DisplayName("R5 in flight elsewhere, which then succeeds: acked without a run")
    void inFlightThenDone() {
        try (Scene scene = Scene.normal()) {
            Execution elsewhere = scene.runningElsewhere("a");
            SimpleConsumerLoop loop = scene.loop(effect(scene));
            scene.send("a");
            await().until(() -> scene.count("deferred a") >= 2);
            elsewhere.succeed(null, WaitBudget.none());
            await().until(() -> scene.count("duplicate a") == 1 && loop.openMessages() == 0);
            scene.assertNothingLeft(loop);
            assertThat(scene.effects).isEmpty();
        }
    }

    @Test
    @DisplayName("R5 in flight longer than maxWait: given back to the broker, and decided when it comes again")
    void inFlightLongerThanMaxWait() {
        try (Scene scene = Scene.normal()) {
            Execution elsewhere = scene.runningElsewhere("a");
            SimpleConsumerLoop loop = scene.loop(
                    scene.builder().maxWait(Duration.ofMillis(20)).build(), effect(scene), settings -> settings);
            scene.send("a");
            await().until(() -> scene.count("deferred a") >= 2 && loop.openMessages() == 0);
            elsewhere.fail(new IllegalStateException("the other one failed"));
            scene.awaitEffects("a");
            assertThat(attempts).allMatch(attempt -> attempt > 1);
        }
    }

    @Test
    @DisplayName("R5 many in flight elsewhere don't keep others from being handled")
    void manyInFlight() {
        try (Scene scene = Scene.normal()) {
            for (int i = 0; i < 12; i++) {
                scene.runningElsewhere("busy" + i);
                scene.send("busy" + i);
            }
            scene.loop(
                    scene.builder().build(),
                    effect(scene),
                    settings -> settings.concurrency(2).batchSize(4));
            scene.send("a", "b");
            scene.awaitEffects("a", "b");
        }
    }

    @Test
    @DisplayName("R5 a handler that runs longer than the invisible time: its message doesn't come again")
    void longHandler() {
        try (Scene scene = Scene.normal()) {
            CountDownLatch goOn = new CountDownLatch(1);
            scene.loop(message -> {
                calls.incrementAndGet();
                awaitLatch(goOn);
                return effect(scene).consume(message);
            });
            scene.send("a");
            await().until(() -> calls.get() == 1);
            try (var second = scene.simpleConsumer(scene.group, scene.topic)) {
                long begin = System.nanoTime();
                while (System.nanoTime() - begin < LONGER_THAN_INVISIBLE.toNanos()) {
                    assertThat(second.receive(8, Scene.INVISIBLE)).isEmpty();
                }
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            goOn.countDown();
            scene.awaitEffects("a");
            assertThat(calls).hasValue(1);
            assertThat(attempts).containsOnly(1);
        }
    }

    @Test
    @DisplayName("a failure after the claim was lost: whoever has it decides")
    void lostClaim() {
        try (Scene scene = Scene.normal()) {
            AtomicBoolean done = new AtomicBoolean();
            SimpleConsumerLoop loop = scene.loop(message -> {
                calls.incrementAndGet();
                scene.store.forget(scene.key("a"), LiveLease.OVERRIDE);
                Execution other = scene.runningElsewhere("a");
                Thread later = new Thread(() -> {
                    await().until(() -> scene.count("deferred a") >= 2);
                    other.succeed(null, WaitBudget.none());
                    done.set(true);
                });
                later.start();
                throw new IllegalStateException("too late");
            });
            scene.send("a");
            await().until(() -> done.get() && loop.openMessages() == 0);
            scene.assertNothingLeft(loop);
            assertThat(calls).hasValue(1);
            assertThat(scene.count("duplicate a")).isEqualTo(1);
        }
    }

    @Test
    @DisplayName("R3 a message group: handled in order, also when one of it fails, and nothing behind it runs before")
    void fifo() {
        try (Scene scene = new Scene(TopicType.FIFO, 20, policy -> policy)) {
            AtomicBoolean failed = new AtomicBoolean();
            sendInOrder(scene, "a", "b", "a", "c", "d");
            scene.loop(message -> {
                scene.events.add("call " + Scene.id(message));
                if (Scene.id(message).equals("b") && !failed.getAndSet(true)) {
                    return ConsumeResult.FAILURE;
                }
                return effect(scene).consume(message);
            });
            await().until(() -> scene.effects.size() == 4);
            assertThat(scene.effects).containsExactly("a", "b", "c", "d");
            assertThat(scene.events).containsSubsequence("call b", "released b", "call b", "call c", "call d");
        }
    }

    @Test
    @DisplayName(
            "R3 a message that always fails is dead-lettered, and those behind it in its message group are handled")
    void fifoBehindDeadLetter() {
        try (Scene scene = new Scene(TopicType.FIFO, 2, policy -> policy)) {
            sendInOrder(scene, "a", "b", "c", "d");
            scene.loop(message -> {
                scene.events.add("call " + Scene.id(message) + " " + message.getDeliveryAttempt());
                return Scene.id(message).equals("a")
                        ? ConsumeResult.FAILURE
                        : effect(scene).consume(message);
            });
            scene.awaitDeadLetters(1);
            scene.awaitEffects("b", "c", "d");
        }
    }

    @Test
    @DisplayName("R3 in flight elsewhere holds back what is behind it in its message group")
    void fifoInFlight() {
        try (Scene scene = new Scene(TopicType.FIFO, 20, policy -> policy)) {
            Execution elsewhere = scene.runningElsewhere("a");
            sendInOrder(scene, "a", "b");
            scene.loop(effect(scene));
            await().until(() -> scene.count("deferred a") >= 10);
            assertThat(scene.effects).isEmpty();
            elsewhere.fail(new IllegalStateException("the other one failed"));
            await().until(() -> scene.effects.size() == 2);
            assertThat(scene.effects).containsExactly("a", "b");
            assertThat(attempts).containsOnly(1);
        }
    }

    @Test
    @DisplayName("a message without an ID fails, and ends in the dead-letter queue")
    void missingId() {
        try (Scene scene = new Scene(TopicType.NORMAL, 1, policy -> policy)) {
            scene.loop(effect(scene));
            scene.send(scene.message("v").build());
            scene.awaitDeadLetters(1);
            assertThat(scene.effects).isEmpty();
        }
    }

    @Test
    @DisplayName(
            "close: what runs is finished and acked, what doesn't is given back with its claim, and handled by another")
    void close() {
        try (Scene scene = Scene.normal()) {
            CountDownLatch goOn = new CountDownLatch(1);
            for (int i = 0; i < 10; i++) {
                scene.send("m" + i);
            }
            SimpleConsumerLoop loop = scene.loop(
                    scene.builder().build(),
                    message -> {
                        calls.incrementAndGet();
                        awaitLatch(goOn);
                        return effect(scene).consume(message);
                    },
                    settings -> settings.concurrency(2));
            await().until(() -> calls.get() == 2 && loop.openMessages() == 10);
            Thread closing = new Thread(loop::close);
            closing.start();
            await().until(() -> loop.openMessages() == 2);
            assertThat(scene.effects).isEmpty();
            goOn.countDown();
            await().until(() -> !closing.isAlive());
            assertThat(scene.effects).hasSize(2);
            assertThat(DedupAdapter.of(scene.dedup).inFlight()).isZero();
            scene.loop(effect(scene));
            await().until(() -> scene.effects.size() == 10);
            assertThat(scene.effects).doesNotHaveDuplicates();
        }
    }

    @Test
    @DisplayName(
            "close: a handler that outlives the timeout is marked as done, and its message acked when it comes again")
    void closeBeforeTheEnd() {
        try (Scene scene = Scene.normal()) {
            CountDownLatch goOn = new CountDownLatch(1);
            scene.send("a");
            SimpleConsumerLoop loop = scene.loop(
                    scene.builder().build(),
                    message -> {
                        calls.incrementAndGet();
                        awaitLatch(goOn);
                        return effect(scene).consume(message);
                    },
                    settings -> settings.shutdownTimeout(Duration.ofMillis(100)));
            await().until(() -> calls.get() == 1);
            loop.close();
            assertThat(loop.openMessages()).isEqualTo(1);
            goOn.countDown();
            scene.awaitEffects("a");
            await().until(() -> loop.openMessages() == 0);
            assertThat(DedupAdapter.of(scene.dedup).inFlight()).isZero();
            scene.assertNothingLeft(loop);
        }
    }

    @Test
    @DisplayName("a deduplicator that is closed too early: the loop stops, and its messages are handled by another one")
    void deduplicatorClosedFirst() {
        try (Scene scene = Scene.normal()) {
            Deduplicator early = scene.deduplicator(policy -> policy);
            SimpleConsumerLoop loop = scene.loop(
                    RocketMqDedup.builder(early)
                            .id(RocketMqMessageIds.property("id"))
                            .build(),
                    effect(scene),
                    settings -> settings);
            early.close();
            scene.send("a");
            await().until(() -> scene.count("deferred a") == 1 && loop.openMessages() == 0);
            scene.send("b");
            scene.loop(effect(scene));
            scene.awaitEffects("a", "b");
            assertThat(scene.events).doesNotContain("deferred b");
        }
    }

    @Test
    @DisplayName("an extractor, an exception and a retry delay that throw errors stop neither receiving nor handling")
    void errorsOfTheUser() {
        try (Scene scene = Scene.normal()) {
            RocketMqDedup rocket = RocketMqDedup.builder(scene.dedup)
                    .id(message -> {
                        if (calls.incrementAndGet() == 1) {
                            throw new OutOfMemoryError("for once");
                        }
                        return Scene.id(message);
                    })
                    .build();
            AtomicInteger runs = new AtomicInteger();
            SimpleConsumerLoop loop = scene.loop(
                    rocket,
                    message -> {
                        if (runs.incrementAndGet() == 1) {
                            throw new IllegalStateException() {
                                @Override
                                public String getMessage() {
                                    throw new IllegalStateException("no message either");
                                }
                            };
                        }
                        return effect(scene).consume(message);
                    },
                    settings -> settings.retryDelay(attempt -> {
                        if (attempt > 2) {
                            throw new StackOverflowError("for the rest");
                        }
                        return null;
                    }));
            scene.send("a");
            scene.awaitEffects("a");
            await().until(() -> loop.openMessages() == 0);
        }
    }

    @Test
    @DisplayName("R3 a copy of a message of another message group doesn't hold its own group for ever")
    void copyInAnotherGroup() {
        try (Scene scene = new Scene(TopicType.FIFO, 20, policy -> policy)) {
            Execution elsewhere = scene.runningElsewhere("k");
            for (String each : List.of("k/one", "k/two", "j/two")) {
                scene.send(scene.message("v")
                        .addProperty("id", each.substring(0, 1))
                        .setMessageGroup(each.substring(2))
                        .build());
            }
            SimpleConsumerLoop loop = scene.loop(effect(scene));
            await().until(() -> scene.count("deferred k") >= 4);
            assertThat(scene.effects).isEmpty();
            elsewhere.fail(new IllegalStateException("the other one failed"));
            scene.awaitEffects("k", "j");
            assertThat(scene.effects).containsExactly("k", "j");
            await().until(() -> loop.openMessages() == 0);
        }
    }

    @Test
    @DisplayName("a claim that is lost while its message waits for a thread: the handler doesn't begin")
    void lostBeforeTheRun() {
        try (Scene scene = Scene.normal()) {
            CountDownLatch goOn = new CountDownLatch(1);
            scene.send("first");
            SimpleConsumerLoop loop = scene.loop(
                    scene.builder().build(),
                    message -> {
                        awaitLatch(goOn);
                        return effect(scene).consume(message);
                    },
                    settings -> settings.concurrency(1));
            await().until(() -> loop.openMessages() == 1);
            scene.send("second");
            await().until(() -> DedupAdapter.of(scene.dedup).inFlight() == 2);
            scene.store.forget(scene.key("second"), LiveLease.OVERRIDE);
            scene.runningElsewhere("second").succeed(null, WaitBudget.none());
            await().until(() -> scene.count("lost second") >= 1);
            goOn.countDown();
            scene.awaitEffects("first");
            await().until(() -> loop.openMessages() == 0);
            assertThat(scene.effects).containsExactly("first");
            assertThat(scene.duplicates("second")).isEqualTo(1);
        }
    }

    @Test
    @DisplayName("a handler that doesn't come back holds its message group no longer than maxProcessingTime")
    void hangingHandler() {
        try (Scene scene = new Scene(TopicType.FIFO, 20, policy -> policy.maxProcessingTime(Duration.ofSeconds(2)))) {
            CountDownLatch goOn = new CountDownLatch(1);
            sendInOrder(scene, "a", "b");
            scene.loop(message -> {
                if (calls.incrementAndGet() == 1) {
                    awaitLatch(goOn);
                    return ConsumeResult.FAILURE;
                }
                return effect(scene).consume(message);
            });
            await().until(() -> scene.effects.size() == 2);
            assertThat(scene.effects).containsExactly("a", "b");
            goOn.countDown();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"one", "two"})
    @DisplayName("a handler that doesn't come back holds no message group that a copy of its message is in")
    void hangingHandlerWithACopy(String groupOfTheCopy) {
        try (Scene scene = new Scene(TopicType.FIFO, 20, policy -> policy.maxProcessingTime(Duration.ofSeconds(2)))) {
            CountDownLatch goOn = new CountDownLatch(1);
            for (String each : List.of("a/one", "a/" + groupOfTheCopy, "b/" + groupOfTheCopy)) {
                scene.send(scene.message("v")
                        .addProperty("id", each.substring(0, 1))
                        .setMessageGroup(each.substring(2))
                        .build());
            }
            scene.loop(message -> {
                if (calls.incrementAndGet() == 1) {
                    awaitLatch(goOn);
                    return ConsumeResult.FAILURE;
                }
                return effect(scene).consume(message);
            });
            await().until(() -> scene.effects.size() == 2);
            assertThat(scene.effects).containsExactlyInAnyOrder("a", "b");
            goOn.countDown();
        }
    }

    @Test
    @DisplayName("after a crash the batch is claimed and run one by one, each once")
    void afterACrash() {
        try (Scene scene = Scene.normal()) {
            Deduplicator dead = scene.deduplicator(policy -> policy.lease(Duration.ofMillis(200)));
            DedupAdapter.of(dead)
                    .admit(Delivery.of(dead.topic(scene.topic), "b", null, () -> "elsewhere"), WaitBudget.none());
            dead.close();
            scene.send("a", "b", "b", "c");
            SimpleConsumerLoop loop = scene.loop(effect(scene));
            scene.awaitEffects("a", "b", "c");
            await().until(() -> loop.openMessages() == 0);
            scene.assertNothingLeft(loop);
        }
    }

    @Test
    @DisplayName("wrong settings are refused")
    void wrongSettings() {
        try (Scene scene = Scene.normal()) {
            RocketMqDedup rocket = scene.builder().build();
            MessageListener decorated = rocket.decorate(scene.group, effect(scene));
            assertThatThrownBy(() -> rocket.decorate(scene.group, decorated))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("decorated already");
            assertThatThrownBy(() -> rocket.decorate(" ", effect(scene)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("consumerGroup");
            scene.loop(rocket, effect(scene), settings -> {
                assertThatThrownBy(() -> settings.concurrency(0)).hasMessageContaining("concurrency");
                assertThatThrownBy(() -> settings.batchSize(0)).hasMessageContaining("batchSize");
                assertThatThrownBy(() -> settings.invisibleDuration(Duration.ofMillis(99)))
                        .hasMessageContaining("invisibleDuration");
                assertThatThrownBy(() -> settings.invisibleDuration(Duration.ofHours(13)))
                        .hasMessageContaining("invisibleDuration");
                assertThatThrownBy(() -> settings.shutdownTimeout(Duration.ofMillis(-1)))
                        .hasMessageContaining("shutdownTimeout");
                return settings;
            });
            assertThatThrownBy(() -> scene.builder().maxWait(Duration.ofMillis(-1)))
                    .hasMessageContaining("maxWait");
            assertThatThrownBy(() -> RocketMqDedup.builder(scene.dedup).build())
                    .hasMessageContaining("No message ID extractor is set");
        }
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
