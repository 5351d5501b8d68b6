package io.dedup.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.Deduplicator;
import io.dedup.LiveLease;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.RunEnd;
import io.dedup.adapter.WaitBudget;
import io.dedup.doubles.InterceptedTransactions;
import io.dedup.policy.DedupMode;
import io.dedup.store.transaction.CommitResult;
import io.dedup.testservers.rocketmq.RocketMqServer.TopicType;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Effects in a database, committed together with the records of their messages. */
class TransactionalTest {
    private static final Duration LONGER_THAN_INVISIBLE = Scene.INVISIBLE.plusSeconds(2);

    private final List<Integer> attempts = new CopyOnWriteArrayList<>();
    private final Set<String> failed = ConcurrentHashMap.newKeySet();

    private static Scene scene(TopicType type, DedupMode mode, Ledger ledger) {
        return new Scene(type, 20, policy -> policy.mode(mode), ledger.store, ledger.records);
    }

    private static void start(Scene scene, String kind, MessageListener listener) {
        if (kind.equals("push")) {
            scene.start(listener);
        } else {
            scene.loop(listener);
        }
    }

    private MessageListener insert(Scene scene, Ledger ledger) {
        return message -> {
            ledger.insert(Scene.id(message));
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

    private static void awaitEffects(Ledger ledger, String... ids) {
        await().untilAsserted(() -> assertThat(ledger.effects()).containsExactlyInAnyOrder(ids));
    }

    @ParameterizedTest
    @CsvSource({
        "LEASED_TRANSACTIONAL,push,failure",
        "TRANSACTIONAL,push,null",
        "TIERED,push,error",
        "LEASED_TRANSACTIONAL,simple,null",
        "TRANSACTIONAL,simple,failure",
        "TIERED,simple,exception"
    })
    @DisplayName("R1 what is sent twice has one effect, and the effect of a handler that fails is undone")
    void duplicatesAndFailures(DedupMode mode, String kind, String how) {
        try (Ledger ledger = new Ledger(mode);
                Scene scene = scene(TopicType.NORMAL, mode, ledger)) {
            scene.send("a", "b", "a", "a", "c");
            start(scene, kind, message -> {
                MessageListener insert = insert(scene, ledger);
                if (!Scene.id(message).equals("b") || !failed.add("b")) {
                    return insert.consume(message);
                }
                insert.consume(message);
                return switch (how) {
                    case "failure" -> ConsumeResult.FAILURE;
                    case "null" -> null;
                    case "exception" -> throw new IllegalStateException("for once");
                    default -> throw new StackOverflowError("for once");
                };
            });
            awaitEffects(ledger, "a", "b", "c");
            scene.send("b", "a", "d");
            awaitEffects(ledger, "a", "b", "c", "d");
            await().until(() -> scene.duplicates("a", "b") >= 4);
            assertThat(ledger.effects()).containsExactlyInAnyOrder("a", "b", "c", "d");
            assertThat(scene.effects).containsExactlyInAnyOrder("a", "b", "b", "c", "d");
            assertThat(scene.count("released b")).isEqualTo(1);
        }
    }

    /** Another process's transaction, open until it is told how to end. */
    private static final class Elsewhere {
        private final CountDownLatch inserted = new CountDownLatch(1);
        private final CompletableFuture<Boolean> succeeds = new CompletableFuture<>();
        private final Thread thread;

        private Elsewhere(Scene scene, Ledger ledger, DedupMode mode, String id) throws InterruptedException {
            Deduplicator other = scene.closeLater(scene.deduplicator(policy -> policy.mode(mode)));
            thread = new Thread(() -> {
                Admission admission = DedupAdapter.of(other)
                        .admit(Delivery.of(other.topic(scene.topic), id, null, () -> "elsewhere"), WaitBudget.none());
                RunEnd unused = DedupAdapter.of(other)
                        .run(
                                ((Admission.Run) admission).execution(),
                                execution -> {
                                    ledger.insert(id);
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
        }

        private void end(boolean success) throws InterruptedException {
            succeeds.complete(success);
            thread.join();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "LEASED_TRANSACTIONAL,push,true",
        "TRANSACTIONAL,push,true",
        "TRANSACTIONAL,push,false",
        "TIERED,push,true",
        "LEASED_TRANSACTIONAL,simple,false",
        "TRANSACTIONAL,simple,true",
        "TRANSACTIONAL,simple,false",
        "TIERED,simple,false"
    })
    @DisplayName("R2, R5 in another transaction: kept, spends no attempt, and is decided when that one ends")
    void inFlight(DedupMode mode, String kind, boolean otherSucceeds) throws Exception {
        try (Ledger ledger = new Ledger(mode);
                Scene scene = scene(TopicType.NORMAL, mode, ledger)) {
            Elsewhere elsewhere = new Elsewhere(scene, ledger, mode, "a");
            ledger.flush(); // so that the record alone knows
            start(scene, kind, insert(scene, ledger));
            scene.send("a", "b");
            awaitEffects(ledger, "b");
            // longer than its invisible time
            await().until(() -> scene.count("deferred a") >= 140);
            assertThat(ledger.effects()).containsExactly("b");
            elsewhere.end(otherSucceeds);
            awaitEffects(ledger, "b", "a");
            if (otherSucceeds) {
                await().until(() -> scene.duplicates("a") >= 1);
            }
            assertThat(scene.effects).containsExactlyElementsOf(otherSucceeds ? List.of("b") : List.of("b", "a"));
            assertThat(attempts).containsOnly(1);
        }
    }

    @ParameterizedTest
    @CsvSource({"TRANSACTIONAL,push", "LEASED_TRANSACTIONAL,push", "TRANSACTIONAL,simple", "TIERED,simple"})
    @DisplayName("R3 a message group: in order, behind one in another transaction and behind one that fails")
    void fifo(DedupMode mode, String kind) throws Exception {
        try (Ledger ledger = new Ledger(mode);
                Scene scene = scene(TopicType.FIFO, mode, ledger)) {
            Elsewhere elsewhere = new Elsewhere(scene, ledger, mode, "a");
            ledger.flush();
            sendInOrder(scene, "a", "b", "a", "c", "d");
            start(scene, kind, message -> {
                ConsumeResult result = insert(scene, ledger).consume(message);
                return Scene.id(message).equals("b") && failed.add("b") ? ConsumeResult.FAILURE : result;
            });
            await().until(() -> scene.count("deferred a") >= 10);
            assertThat(scene.effects).isEmpty();
            elsewhere.end(false);
            await().until(() -> ledger.effects().size() == 4);
            assertThat(ledger.effects()).containsExactly("a", "b", "c", "d");
            assertThat(scene.effects).containsExactly("a", "b", "b", "c", "d");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"push", "simple"})
    @DisplayName("the commit's answer is lost: the record tells, in place, and the message is acked as a duplicate")
    void commitUnknown(String kind) {
        try (Ledger ledger = new Ledger(DedupMode.TRANSACTIONAL);
                Scene scene = scene(TopicType.NORMAL, DedupMode.TRANSACTIONAL, ledger)) {
            ledger.nextCommit(transaction -> {
                transaction.commit();
                return new CommitResult.Unknown(new IllegalStateException("the answer is lost"));
            });
            start(scene, kind, insert(scene, ledger));
            scene.send("a");
            await().until(() -> scene.duplicates("a") >= 1);
            scene.send("b");
            awaitEffects(ledger, "a", "b");
            assertThat(attempts).containsExactly(1, 1);
            assertThat(scene.count("duplicate a")).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"push", "simple"})
    @DisplayName("undone by a deadlock: runs again in place, which costs no attempt")
    void undone(String kind) {
        try (Ledger ledger = new Ledger(DedupMode.TRANSACTIONAL);
                Scene scene = scene(TopicType.NORMAL, DedupMode.TRANSACTIONAL, ledger)) {
            ledger.nextCommit(transaction -> {
                transaction.rollback();
                return new CommitResult.RolledBack(new InterceptedTransactions.UndoneException());
            });
            start(scene, kind, insert(scene, ledger));
            scene.send("a");
            awaitEffects(ledger, "a");
            assertThat(attempts).containsExactly(1, 1);
            assertThat(scene.effects).containsExactly("a", "a");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"push", "simple"})
    @DisplayName("TIERED: the store in front forgets everything, and what is sent again has no second effect")
    void frontForgets(String kind) {
        try (Ledger ledger = new Ledger(DedupMode.TIERED);
                Scene scene = scene(TopicType.NORMAL, DedupMode.TIERED, ledger)) {
            start(scene, kind, insert(scene, ledger));
            scene.send("a", "b");
            awaitEffects(ledger, "a", "b");
            ledger.flush();
            scene.send("a", "b", "c");
            awaitEffects(ledger, "a", "b", "c");
            await().until(() -> scene.duplicates("a", "b") >= 2);
            assertThat(scene.effects).containsExactlyInAnyOrder("a", "b", "c");
        }
    }

    @ParameterizedTest
    @CsvSource({"push,true", "push,false", "simple,true", "simple,false"})
    @DisplayName(
            "a claim that is lost in the handler: undone, whatever it returns, and whoever has the message decides")
    void lostClaim(String kind, boolean fails) {
        DedupMode mode = DedupMode.LEASED_TRANSACTIONAL;
        try (Ledger ledger = new Ledger(mode);
                Scene scene = scene(TopicType.NORMAL, mode, ledger)) {
            start(scene, kind, message -> {
                ConsumeResult result = insert(scene, ledger).consume(message);
                CompletableFuture.runAsync(() -> {
                            scene.store.forget(scene.key("a"), LiveLease.OVERRIDE);
                            Execution other = scene.runningElsewhere("a");
                            Thread later = new Thread(() -> {
                                await().until(() -> scene.count("deferred a") >= 2);
                                other.succeed(null, WaitBudget.none());
                            });
                            later.start();
                        })
                        .join();
                return fails ? ConsumeResult.FAILURE : result;
            });
            scene.send("a");
            await().until(() -> scene.duplicates("a") >= 1);
            assertThat(scene.effects).containsExactly("a");
            assertThat(ledger.effects()).isEmpty();
            assertThat(scene.count("lost a")).isEqualTo(1);
        }
    }

    private static void awaitPassed(Duration time) {
        long begin = System.nanoTime();
        await().until(() -> System.nanoTime() - begin > time.toNanos());
    }

    @Test
    @DisplayName("R3 a transaction that is opened late, as the pool is empty: its message group waits for it")
    void openedLate() {
        try (Ledger ledger = new Ledger(DedupMode.TRANSACTIONAL);
                Scene scene = new Scene(
                        TopicType.FIFO,
                        20,
                        policy -> policy.mode(DedupMode.TRANSACTIONAL).maxProcessingTime(Duration.ofSeconds(2)),
                        ledger.store,
                        ledger.records)) {
            ledger.nextBegin(() -> awaitPassed(LONGER_THAN_INVISIBLE));
            sendInOrder(scene, "a", "b");
            scene.loop(insert(scene, ledger));
            await().until(() -> ledger.effects().size() == 2);
            assertThat(ledger.effects()).containsExactly("a", "b");
            assertThat(attempts).containsExactly(1, 1);
        }
    }

    @Test
    @DisplayName("R3 undone after longer than it may run: goes back, since its message group has gone on without it")
    void undoneTooLate() {
        try (Ledger ledger = new Ledger(DedupMode.TRANSACTIONAL);
                Scene scene = new Scene(
                        TopicType.FIFO,
                        20,
                        policy -> policy.mode(DedupMode.TRANSACTIONAL)
                                .lease(Duration.ofSeconds(1))
                                .maxProcessingTime(Duration.ofSeconds(1)),
                        ledger.store,
                        ledger.records)) {
            ledger.nextCommit(transaction -> {
                transaction.rollback();
                return new CommitResult.RolledBack(new InterceptedTransactions.UndoneException());
            });
            sendInOrder(scene, "a", "b");
            scene.loop(message -> {
                ConsumeResult result = insert(scene, ledger).consume(message);
                if (attempts.size() == 1) {
                    awaitPassed(Duration.ofMillis(1_700)); // not too long to be asked again, and some looks of the loop
                }
                return result;
            });
            await().until(() -> ledger.effects().size() == 2);
            assertThat(ledger.effects()).containsExactly("a", "b");
        }
    }

    @Test
    @DisplayName("the time in its message group doesn't count as a wait for another transaction")
    void waitsFromItsTurn() throws Exception {
        DedupMode mode = DedupMode.TRANSACTIONAL;
        try (Ledger ledger = new Ledger(mode);
                Scene scene = scene(TopicType.FIFO, mode, ledger)) {
            Elsewhere elsewhere = new Elsewhere(scene, ledger, mode, "b");
            sendInOrder(scene, "a", "b");
            scene.loop(
                    scene.builder().maxWait(Duration.ofSeconds(3)).build(),
                    message -> {
                        if (Scene.id(message).equals("a")) {
                            awaitPassed(Duration.ofSeconds(4));
                        }
                        return insert(scene, ledger).consume(message);
                    },
                    settings -> settings);
            await().until(() -> scene.count("deferred b") >= 2);
            elsewhere.end(false);
            awaitEffects(ledger, "a", "b");
            assertThat(attempts).containsExactly(1, 1);
        }
    }

    @Test
    @DisplayName(
            "in another transaction for longer than maxWait: given back, never acked, and decided when it comes again")
    void longerThanMaxWait() throws Exception {
        DedupMode mode = DedupMode.TRANSACTIONAL;
        try (Ledger ledger = new Ledger(mode);
                Scene scene = scene(TopicType.NORMAL, mode, ledger)) {
            Elsewhere elsewhere = new Elsewhere(scene, ledger, mode, "a");
            SimpleConsumerLoop loop = scene.loop(
                    scene.builder().maxWait(Duration.ofMillis(20)).build(),
                    insert(scene, ledger),
                    settings -> settings);
            scene.send("a");
            // Once is enough where the first try has taken longer than maxWait.
            await().until(() -> scene.count("deferred a") >= 1 && loop.openMessages() == 0);
            elsewhere.end(false);
            awaitEffects(ledger, "a");
            assertThat(attempts).allMatch(attempt -> attempt > 1);
        }
    }

    @Test
    @DisplayName("a loop that is closed while a message waits for another transaction gives it back")
    void closedWhileWaiting() throws Exception {
        DedupMode mode = DedupMode.TRANSACTIONAL;
        try (Ledger ledger = new Ledger(mode);
                Scene scene = scene(TopicType.NORMAL, mode, ledger)) {
            Elsewhere elsewhere = new Elsewhere(scene, ledger, mode, "a");
            SimpleConsumerLoop loop = scene.loop(insert(scene, ledger));
            scene.send("a");
            await().until(() -> scene.count("deferred a") >= 2);
            loop.close();
            assertThat(loop.openMessages()).isZero();
            elsewhere.end(false);
            scene.loop(insert(scene, ledger));
            awaitEffects(ledger, "a");
        }
    }
}
