package io.dedup.rocketmq.remoting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.Deduplicator;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.RunEnd;
import io.dedup.adapter.WaitBudget;
import io.dedup.doubles.InterceptedTransactions;
import io.dedup.policy.DedupMode;
import io.dedup.store.transaction.CommitResult;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyStatus;
import org.apache.rocketmq.common.message.MessageExt;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Effects in a database, committed together with the records of their messages. */
class TransactionalTest {
    private final Set<String> failed = ConcurrentHashMap.newKeySet();

    private static Scene scene(int queues, DedupMode mode, Ledger ledger) {
        return new Scene(queues, policy -> policy.mode(mode), ledger.store, ledger.records);
    }

    private static void insert(Scene scene, Ledger ledger, MessageExt message) {
        ledger.insert(Scene.id(message));
        scene.effect(message);
    }

    /** A concurrently or orderly consumer, whose listener inserts. */
    private static DefaultMQPushConsumer start(Scene scene, Ledger ledger, boolean orderly) {
        return orderly
                ? scene.startOrderly((List<MessageExt> messages, ConsumeOrderlyContext context) -> {
                    insert(scene, ledger, messages.get(0));
                    return ConsumeOrderlyStatus.SUCCESS;
                })
                : scene.start((List<MessageExt> messages, ConsumeConcurrentlyContext context) -> {
                    insert(scene, ledger, messages.get(0));
                    return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
                });
    }

    private static void awaitEffects(Ledger ledger, String... ids) {
        await().untilAsserted(() -> assertThat(ledger.effects()).containsExactlyInAnyOrder(ids));
    }

    @ParameterizedTest
    @CsvSource({"LEASED_TRANSACTIONAL,null", "TRANSACTIONAL,later", "TIERED,error", "TRANSACTIONAL,ackIndex"})
    @DisplayName("concurrently: what is sent twice has one effect, and the effect of a failure is undone")
    void concurrently(DedupMode mode, String how) {
        try (Ledger ledger = new Ledger(mode);
                Scene scene = scene(2, mode, ledger)) {
            scene.send("a", "b", "a", "a", "c");
            DefaultMQPushConsumer started = scene.start(consumer -> {
                consumer.setConsumeMessageBatchMaxSize(8);
                consumer.registerMessageListener((List<MessageExt> messages, ConsumeConcurrentlyContext context) -> {
                    assertThat(messages).hasSize(1);
                    context.setDelayLevelWhenNextConsume(1);
                    insert(scene, ledger, messages.get(0));
                    if (!Scene.id(messages.get(0)).equals("b") || !failed.add("b")) {
                        return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
                    }
                    return switch (how) {
                        case "later" -> ConsumeConcurrentlyStatus.RECONSUME_LATER;
                        case "null" -> null;
                        case "error" -> throw new StackOverflowError("for once");
                        default -> {
                            context.setAckIndex(-1);
                            yield ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
                        }
                    };
                });
                scene.builder().build().decorate(consumer);
            });
            awaitEffects(ledger, "a", "b", "c");
            scene.send("b", "a", "d");
            awaitEffects(ledger, "a", "b", "c", "d");
            await().until(() -> scene.count("duplicate a") >= 3 && scene.count("duplicate b") >= 1);
            scene.awaitAllAcked(started);
            assertThat(ledger.effects()).containsExactlyInAnyOrder("a", "b", "c", "d");
            assertThat(scene.effects).containsExactlyInAnyOrder("a", "b", "b", "c", "d");
            assertThat(scene.count("released b")).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource(names = "LEASED", mode = EnumSource.Mode.EXCLUDE)
    @DisplayName("R3 orderly, in batches: a failure in the middle is undone, what was before it stays, in order")
    void orderly(DedupMode mode) {
        try (Ledger ledger = new Ledger(mode);
                Scene scene = scene(1, mode, ledger)) {
            scene.send("a", "b", "a", "c", "d");
            DefaultMQPushConsumer started = scene.start(consumer -> {
                consumer.setConsumeMessageBatchMaxSize(8);
                consumer.setSuspendCurrentQueueTimeMillis(20);
                consumer.registerMessageListener((List<MessageExt> messages, ConsumeOrderlyContext context) -> {
                    insert(scene, ledger, messages.get(0));
                    return Scene.id(messages.get(0)).equals("c") && failed.add("c")
                            ? ConsumeOrderlyStatus.SUSPEND_CURRENT_QUEUE_A_MOMENT
                            : ConsumeOrderlyStatus.SUCCESS;
                });
                scene.builder().build().decorate(consumer);
            });
            await().until(() -> ledger.effects().size() == 4);
            assertThat(ledger.effects()).containsExactly("a", "b", "c", "d");
            assertThat(scene.effects).containsExactly("a", "b", "c", "c", "d");
            scene.awaitAllAcked(started);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "LEASED_TRANSACTIONAL,false,true",
        "TRANSACTIONAL,false,true",
        "TRANSACTIONAL,false,false",
        "TRANSACTIONAL,true,false",
        "TIERED,false,false",
        "TIERED,true,true"
    })
    @DisplayName("in another transaction: waits, spends no attempt, and is decided when that one ends")
    void inFlight(DedupMode mode, boolean orderly, boolean otherSucceeds) throws Exception {
        try (Ledger ledger = new Ledger(mode);
                Scene scene = scene(orderly ? 1 : 2, mode, ledger)) {
            CompletableFuture<Boolean> succeeds = new CompletableFuture<>();
            Thread elsewhere = runElsewhere(scene, ledger, mode, succeeds);
            ledger.forget(scene.key("a")); // so that the record alone knows
            DefaultMQPushConsumer consumer = start(scene, ledger, orderly);
            scene.send("a", "b");
            await().until(() -> scene.count("deferred a") >= 50); // longer than a lease
            assertThat(ledger.effects()).doesNotContain("a");
            succeeds.complete(otherSucceeds);
            elsewhere.join();
            awaitEffects(ledger, "a", "b");
            scene.awaitAllAcked(consumer);
            assertThat(scene.effects)
                    .containsExactlyInAnyOrderElementsOf(otherSucceeds ? List.of("b") : List.of("a", "b"));
            assertThat(scene.count("duplicate a")).isEqualTo(otherSucceeds ? 1 : 0);
            assertThat(scene.reconsumed).containsOnly(0);
            if (orderly) {
                assertThat(ledger.effects()).containsExactly("a", "b");
            }
        }
    }

    /** Another process's transaction, open until it is told how to end. */
    private static Thread runElsewhere(Scene scene, Ledger ledger, DedupMode mode, CompletableFuture<Boolean> succeeds)
            throws InterruptedException {
        Deduplicator other = scene.closeLater(scene.deduplicator(policy -> policy.mode(mode)));
        CountDownLatch inserted = new CountDownLatch(1);
        Thread thread = new Thread(() -> {
            Admission admission = DedupAdapter.of(other)
                    .admit(Delivery.of(other.topic(scene.topic), "a", null, () -> "elsewhere"), WaitBudget.none());
            RunEnd unused = DedupAdapter.of(other)
                    .run(
                            ((Admission.Run) admission).execution(),
                            execution -> {
                                ledger.insert("a");
                                inserted.countDown();
                                if (!succeeds.join()) {
                                    throw new IllegalStateException("the other one failed");
                                }
                                return null;
                            },
                            WaitBudget.none());
        });
        thread.setDaemon(true);
        thread.start();
        assertThat(inserted.await(30, TimeUnit.SECONDS)).isTrue();
        return thread;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("an unknown commit is looked up in place, one that was undone by a deadlock runs again in place")
    void commitFails(boolean orderly) {
        try (Ledger ledger = new Ledger(DedupMode.TRANSACTIONAL);
                Scene scene = scene(orderly ? 1 : 2, DedupMode.TRANSACTIONAL, ledger)) {
            ledger.nextCommit(transaction -> {
                transaction.commit();
                return new CommitResult.Unknown(new IllegalStateException("the answer is lost"));
            });
            DefaultMQPushConsumer consumer = start(scene, ledger, orderly);
            scene.send("a");
            await().until(() -> scene.count("duplicate a") == 1);
            ledger.nextCommit(transaction -> {
                transaction.rollback();
                return new CommitResult.RolledBack(new InterceptedTransactions.UndoneException());
            });
            scene.send("b");
            awaitEffects(ledger, "a", "b");
            scene.awaitAllAcked(consumer);
            assertThat(scene.effects).containsExactly("a", "b", "b");
            assertThat(scene.reconsumed).containsOnly(0);
        }
    }

    @Test
    @DisplayName("TIERED: the store in front forgets, and what is sent again has no second effect")
    void frontForgets() {
        try (Ledger ledger = new Ledger(DedupMode.TIERED);
                Scene scene = scene(2, DedupMode.TIERED, ledger)) {
            DefaultMQPushConsumer consumer = start(scene, ledger, false);
            scene.send("a", "b");
            awaitEffects(ledger, "a", "b");
            ledger.forget(scene.key("a"));
            ledger.forget(scene.key("b"));
            scene.send("a", "b", "c");
            awaitEffects(ledger, "a", "b", "c");
            scene.awaitAllAcked(consumer);
            assertThat(scene.effects).containsExactlyInAnyOrder("a", "b", "c");
            assertThat(scene.count("duplicate a") + scene.count("duplicate b")).isEqualTo(2);
        }
    }
}
