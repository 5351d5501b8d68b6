package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupContext;
import io.dedup.policy.DedupMode;
import io.dedup.policy.DedupPolicy;
import io.dedup.policy.OnConflict;
import io.dedup.policy.TransactionSpan;
import io.dedup.policy.Window;
import io.dedup.store.transaction.RecordRequest;
import io.dedup.store.transaction.RecordTransaction;
import io.dedup.store.transaction.TransactionalRecords;
import io.dedup.testkit.faults.TcpProxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.dao.DataAccessException;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.CommonLoggingErrorHandler;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.support.serializer.ErrorHandlingDeserializer;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.backoff.FixedBackOff;

/** Record listeners whose transactions span several records of a poll. */
class PollTransactionTest {
    private static final String[] TEN = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};

    private final List<String> recovered = new CopyOnWriteArrayList<>();
    /** The IDs that handlers were called with. */
    private final List<String> called = new CopyOnWriteArrayList<>();

    private final AtomicInteger times = new AtomicInteger();
    private final AtomicReference<@Nullable TcpProxy> proxied = new AtomicReference<>();

    @AfterEach
    void closeProxy() {
        TcpProxy proxy = proxied.get();
        if (proxy != null) {
            proxy.close();
        }
    }

    private static Scene scene(Ledger ledger, UnaryOperator<DedupPolicy.Builder> changes) {
        return ledger.scene(
                DedupMode.TRANSACTIONAL, 1, policy -> changes.apply(policy.transaction(TransactionSpan.POLL)));
    }

    private static Scene scene(Ledger ledger) {
        return scene(ledger, policy -> policy);
    }

    private ConcurrentMessageListenerContainer<String, String> container(
            Ledger ledger, Scene scene, AckMode ackMode, Consumer<String> also) {
        var container = scene.container(ackMode, (MessageListener<String, String>) record -> {
            String id = Scene.id(record);
            called.add(id);
            ledger.effect(id);
            also.accept(id);
        });
        container.setCommonErrorHandler(errorHandler(2));
        return container;
    }

    private DefaultErrorHandler errorHandler(int retries) {
        return new DefaultErrorHandler((record, e) -> recovered.add(Scene.id(record)), new FixedBackOff(0, retries));
    }

    /** How many transactions have committed an effect. */
    private static int commits(Ledger ledger) {
        return Objects.requireNonNull(
                ledger.jdbc.queryForObject("SELECT count(DISTINCT xmin::text) FROM effect", Integer.class));
    }

    private static void require(boolean holds) {
        if (!holds) {
            throw new IllegalStateException("no");
        }
    }

    @ParameterizedTest
    @CsvSource({"RECORD, 10", "POLL, 1"})
    @DisplayName("the handlers of a poll run in one transaction, in order, and one commit ends it; a replay runs none")
    void oneCommit(TransactionSpan span, int commits) {
        try (Ledger ledger = Ledger.postgres();
                Scene scene = scene(ledger, policy -> policy.transaction(span))) {
            scene.send(TEN);

            scene.runUntilCommitted(container(ledger, scene, AckMode.BATCH, id -> {}));

            assertThat(called).containsExactly(TEN);
            assertThat(ledger.effects()).containsExactly(TEN);
            assertThat(commits(ledger)).isEqualTo(commits);
            assertThat(scene.events).hasSize(10).allMatch(event -> event.startsWith("completed"));

            scene.rewind();
            scene.runUntilCommitted(container(ledger, scene, AckMode.BATCH, id -> {}));
            assertThat(called).hasSize(10);
            assertThat(scene.events.subList(10, 20)).allMatch(event -> event.startsWith("duplicate"));
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = AckMode.class,
            names = {"RECORD", "BATCH", "TIME", "COUNT", "COUNT_TIME"})
    @DisplayName("in every automatic ack mode: copies within a poll, one effect each")
    void copies(AckMode ackMode) {
        try (Ledger ledger = Ledger.postgres();
                Scene scene = scene(ledger)) {
            scene.send("a", "b", "a", "c", "b");

            scene.runUntilCommitted(container(ledger, scene, ackMode, id -> {}));

            assertThat(called).containsExactly("a", "b", "c");
            assertThat(ledger.effects()).containsExactly("a", "b", "c");
            assertThat(commits(ledger)).isEqualTo(1);
        }
    }

    @Test
    @DisplayName("on MariaDB: copies, a failure in the middle, a replay: one effect each")
    void mariaDb() {
        try (Ledger ledger = Ledger.mariaDb();
                Scene scene = scene(ledger, policy -> policy.transactionMaxRecords(4))) {
            scene.send("a", "b", "a", "c", "bad", "d", "b", "e");
            for (int round = 0; round < 2; round++) {
                scene.runUntilCommitted(
                        container(ledger, scene, AckMode.BATCH, id -> require(!id.equals("bad") || times.get() > 0)));
                times.incrementAndGet();
                scene.rewind();
            }
            assertThat(ledger.effects()).containsExactly("a", "b", "bad", "c", "d", "e");
            assertThat(recovered).containsExactly("bad");
        }
    }

    @Test
    @DisplayName("nothing is reported and no offset is committed before the commit")
    void nothingBeforeTheCommit() {
        try (Ledger ledger = Ledger.postgres();
                Scene scene = scene(ledger)) {
            CountDownLatch goOn = new CountDownLatch(1);
            scene.send("a", "b", "c");
            scene.start(container(ledger, scene, AckMode.RECORD, id -> {
                if (id.equals("c")) {
                    await().until(() -> goOn.await(1, TimeUnit.SECONDS));
                }
            }));
            await().until(() -> called.contains("c"));
            assertThat(scene.events).isEmpty();
            assertThat(scene.committed().getOrDefault(0, 0L)).isZero();
            assertThat(ledger.effects()).isEmpty();

            goOn.countDown();
            scene.awaitAllCommitted();
            assertThat(ledger.effects()).containsExactly("a", "b", "c");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = AckMode.class,
            names = {"RECORD", "BATCH"})
    @DisplayName(
            "a handler that always fails in the middle is retried alone and recovered; the others commit once, around it")
    void failsInTheMiddle(AckMode ackMode) {
        try (Ledger ledger = Ledger.postgres();
                Scene scene = scene(ledger)) {
            scene.send("a", "b", "bad", "c", "d");

            scene.runUntilCommitted(container(ledger, scene, ackMode, id -> require(!id.equals("bad"))));

            assertThat(ledger.effects()).containsExactly("a", "b", "c", "d");
            assertThat(recovered).containsExactly("bad");
            assertThat(called).containsExactly("a", "b", "bad", "a", "b", "bad", "bad", "bad", "c", "d");
            assertThat(commits(ledger)).isEqualTo(2);
            assertThat(scene.events.stream().filter(event -> event.startsWith("released")))
                    .containsExactly("released bad", "released bad", "released bad");
        }
    }

    @Test
    @DisplayName("several handlers that fail for a while: nothing is recovered, one effect each")
    void failingForAWhile() {
        try (Ledger ledger = Ledger.postgres();
                Scene scene = scene(ledger)) {
            scene.send(TEN);
            Map<String, AtomicInteger> failures = Map.of(
                    "a",
                    new AtomicInteger(2),
                    "d",
                    new AtomicInteger(2),
                    "e",
                    new AtomicInteger(2),
                    "j",
                    new AtomicInteger(1));

            scene.runUntilCommitted(container(
                    ledger,
                    scene,
                    AckMode.BATCH,
                    id -> require(!failures.containsKey(id) || failures.get(id).getAndDecrement() <= 0)));

            assertThat(ledger.effects()).containsExactly(TEN);
            assertThat(recovered).isEmpty();
        }
    }

    @Test
    @DisplayName(
            "an Error in the middle: those before it commit, then the container stops, and nothing behind it is lost")
    void error() {
        try (Ledger ledger = Ledger.postgres();
                Scene scene = scene(ledger)) {
            scene.send("a", "b", "error", "c");
            var container = scene.start(container(ledger, scene, AckMode.BATCH, id -> {
                if (id.equals("error") && times.incrementAndGet() <= 2) {
                    throw new AssertionError("of the process");
                }
            }));
            await().until(() -> !container.isRunning());
            assertThat(ledger.effects()).containsExactly("a", "b");

            scene.runUntilCommitted(container(ledger, scene, AckMode.BATCH, id -> {}));
            assertThat(ledger.effects()).containsExactly("a", "b", "c", "error");
            assertThat(recovered).isEmpty();
        }
    }

    @Test
    @DisplayName("the transaction is cut at the maximum number of records")
    void cutByCount() {
        try (Ledger ledger = Ledger.postgres();
                Scene scene = scene(ledger, policy -> policy.transactionMaxRecords(4))) {
            scene.send(TEN);

            scene.runUntilCommitted(container(ledger, scene, AckMode.BATCH, id -> {}));

            assertThat(called).containsExactly(TEN);
            assertThat(ledger.effects()).containsExactly(TEN);
            assertThat(commits(ledger)).isEqualTo(3);
        }
    }

    @Test
    @DisplayName("when the time is over, what was handled commits, and the rest is handled in the next transaction")
    void cutByTime() {
        try (Ledger ledger = Ledger.postgres();
                Scene scene = scene(ledger, policy -> policy.transactionMaxTime(Duration.ofMillis(10)))) {
            scene.send("a", "b", "a", "c", "d");

            scene.runUntilCommitted(container(ledger, scene, AckMode.BATCH, id -> {
                long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(11);
                while (System.nanoTime() < until) {
                    LockSupport.parkNanos(until - System.nanoTime());
                }
            }));

            assertThat(called).containsExactly("a", "b", "c", "d");
            assertThat(ledger.effects()).containsExactly("a", "b", "c", "d");
            assertThat(commits(ledger)).isEqualTo(4);
        }
    }

    @Test
    @DisplayName(
            "a record in flight elsewhere leaves the transaction first: those before it commit, the rest waits for it")
    void inFlightInTheMiddle() {
        try (Ledger ledger = Ledger.postgres();
                Scene scene = scene(ledger, policy -> policy.inFlightWait(Duration.ofMillis(50)))) {
            scene.send("a", "b", "busy", "c");
            RecordTransaction elsewhere = ((TransactionalRecords) ledger.transactions).begin(Duration.ofSeconds(60));
            assertThat(elsewhere.claimAll(List.of(new RecordRequest(
                            scene.dedup.key(scene.topic, "busy"), Window.of(Duration.ofDays(1)), null))))
                    .hasSize(1);
            scene.start(container(ledger, scene, AckMode.BATCH, id -> {}));

            scene.awaitCommitted(2);
            await().until(() -> scene.deferrals.size() > 3);
            assertThat(scene.deferrals).containsOnly("busy IN_FLIGHT");
            assertThat(ledger.effects()).containsExactly("a", "b");

            elsewhere.rollback();
            scene.awaitAllCommitted();
            assertThat(ledger.effects()).containsExactly("a", "b", "busy", "c");
            assertThat(recovered).isEmpty();
        }
    }

    @Test
    @DisplayName("a commit that fails, and blames no record: each runs alone, and only the one at fault fails")
    void commitFails() {
        try (Ledger ledger = Ledger.postgres();
                Scene scene = scene(ledger)) {
            ledger.jdbc.execute("CREATE TABLE one (id int UNIQUE DEFERRABLE INITIALLY DEFERRED)");
            scene.send("a", "b", "bad", "c");

            scene.runUntilCommitted(container(ledger, scene, AckMode.BATCH, id -> {
                if (id.equals("bad")) {
                    ledger.jdbc.update("INSERT INTO one VALUES (1)");
                    ledger.jdbc.update("INSERT INTO one VALUES (1)");
                }
            }));

            assertThat(ledger.effects()).containsExactly("a", "b", "c");
            assertThat(recovered).containsExactly("bad");
        }
    }

    @Test
    @DisplayName("T5 the answer to the commit is lost: deferred, and the records tell that it was committed")
    void commitUnknown() {
        try (Ledger ledger = Ledger.postgres(proxied);
                Scene scene = scene(ledger)) {
            TcpProxy proxy = Objects.requireNonNull(proxied.get());
            scene.closeLater(proxy::heal);
            scene.send("a", "b", "c");
            scene.start(container(ledger, scene, AckMode.BATCH, id -> {
                if (times.incrementAndGet() == 3) {
                    proxy.loseReplyTo("COMMIT");
                }
            }));

            await().until(() -> scene.deferrals.contains("a COMMIT_UNKNOWN"));
            scene.awaitCommitted(3);
            assertThat(ledger.effects()).containsExactly("a", "b", "c");
            assertThat(called).containsExactly("a", "b", "c");
            assertThat(recovered).isEmpty();
            assertThat(scene.events).contains("duplicate a", "duplicate b", "duplicate c");
        }
    }

    @Test
    @DisplayName("S12 the connection is lost in the middle: nothing of it stays, and all of it runs again")
    void connectionLost() {
        try (Ledger ledger = Ledger.postgres(proxied);
                Scene scene = scene(ledger)) {
            TcpProxy proxy = Objects.requireNonNull(proxied.get());
            scene.closeLater(proxy::heal);
            scene.send("a", "b", "c", "d");
            scene.start(container(ledger, scene, AckMode.BATCH, id -> {
                if (id.equals("c") && times.getAndIncrement() == 0) {
                    proxy.cut();
                }
            }));

            scene.awaitCommitted(4);
            assertThat(ledger.effects()).containsExactly("a", "b", "c", "d");
            assertThat(recovered).isEmpty();
        }
    }

    @Test
    @DisplayName("T4 the database is down: deferred until it answers, nothing is recovered")
    void databaseDown() {
        try (Ledger ledger = Ledger.postgres(proxied);
                Scene scene = scene(ledger)) {
            TcpProxy proxy = Objects.requireNonNull(proxied.get());
            scene.closeLater(proxy::heal);
            proxy.refuse();
            proxy.cut();
            scene.send("a", "b", "c");
            scene.start(container(ledger, scene, AckMode.BATCH, id -> {}));
            await().until(() -> scene.deferrals.stream().anyMatch(each -> each.equals("a STORE_UNAVAILABLE")));
            proxy.heal();

            scene.awaitCommitted(3);
            assertThat(ledger.effects()).containsExactly("a", "b", "c");
            assertThat(recovered).isEmpty();
        }
    }

    @Test
    @DisplayName(
            "a handler that swallows an SQL error or marks the transaction as rollback-only fails alone; the others commit")
    void swallowed() {
        try (Ledger ledger = Ledger.postgres();
                Scene scene = scene(ledger)) {
            scene.send("a", "swallows", "b", "marks", "c");

            scene.runUntilCommitted(container(ledger, scene, AckMode.BATCH, id -> {
                if (id.equals("swallows")) {
                    try {
                        ledger.jdbc.update("INSERT INTO missing VALUES (1)");
                    } catch (DataAccessException e) {
                        assertThat(e).isNotNull();
                    }
                }
                if (id.equals("marks")) {
                    new TransactionTemplate(ledger.manager).executeWithoutResult(status -> status.setRollbackOnly());
                }
            }));

            assertThat(ledger.effects()).containsExactly("a", "b", "c");
            assertThat(recovered).containsExactlyInAnyOrder("swallows", "marks");
        }
    }

    @Test
    @DisplayName("a handler that rolls back to a savepoint keeps the others' effects")
    void savepoint() {
        try (Ledger ledger = Ledger.postgres();
                Scene scene = scene(ledger)) {
            TransactionTemplate nested = new TransactionTemplate(ledger.manager);
            nested.setPropagationBehavior(org.springframework.transaction.TransactionDefinition.PROPAGATION_NESTED);
            scene.send("a", "b", "c");

            scene.runUntilCommitted(container(ledger, scene, AckMode.BATCH, id -> {
                if (id.equals("b")) {
                    nested.executeWithoutResult(status -> {
                        ledger.effect("undone");
                        status.setRollbackOnly();
                    });
                }
            }));

            assertThat(ledger.effects()).containsExactly("a", "b", "c");
            assertThat(called).containsExactly("a", "b", "c");
        }
    }

    @Test
    @DisplayName("a callback that fails after the commit: everything is committed, once")
    void afterCommitFails() {
        try (Ledger ledger = Ledger.postgres();
                Scene scene = scene(ledger)) {
            List<String> after = new CopyOnWriteArrayList<>();
            scene.send("a", "b", "c");

            scene.runUntilCommitted(container(
                    ledger,
                    scene,
                    AckMode.BATCH,
                    id -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                        @Override
                        public void afterCommit() {
                            after.add(id);
                            require(!id.equals("b"));
                        }
                    })));

            assertThat(ledger.effects()).containsExactly("a", "b", "c");
            assertThat(called).containsExactly("a", "b", "c");
            assertThat(after).startsWith("a", "b");
            assertThat(recovered).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "false, true"})
    @DisplayName("error handlers that keep the poll, that only log, or that throw lose nothing but what they give up")
    void errorHandlers(boolean keeps, boolean logs) {
        try (Ledger ledger = Ledger.postgres();
                Scene scene = scene(ledger)) {
            scene.send("a", "bad", "b", "c");
            var container = container(ledger, scene, AckMode.BATCH, id -> require(!id.equals("bad")));
            if (logs) {
                container.setCommonErrorHandler(new CommonLoggingErrorHandler());
            } else {
                DefaultErrorHandler handler = new DefaultErrorHandler(
                        (record, e) -> {
                            require(times.getAndIncrement() > 0); // the recoverer fails once
                            recovered.add(Scene.id(record));
                        },
                        new FixedBackOff(0, 1));
                handler.setSeekAfterError(!keeps);
                container.setCommonErrorHandler(handler);
            }

            scene.runUntilCommitted(container);

            assertThat(ledger.effects()).containsExactly("a", "b", "c");
            assertThat(recovered).isEqualTo(logs ? List.of() : List.of("bad"));
        }
    }

    @Test
    @DisplayName(
            "a record without an ID, one with another payload, and one that cannot be read are recovered alone, each once")
    void rejected() {
        try (Ledger ledger = Ledger.postgres();
                Scene scene = scene(ledger, policy -> policy.fingerprint(true).onConflict(OnConflict.FAIL))) {
            scene.send("a");
            scene.send(scene.record(0, null, "no ID"));
            scene.send("b", "poison", "c");
            scene.send(scene.record(0, "b".getBytes(StandardCharsets.UTF_8), "another payload"));
            scene.send("d");
            var failing = new ErrorHandlingDeserializer<>(new StringDeserializer() {
                @Override
                public String deserialize(String topic, byte[] data) {
                    String text = super.deserialize(topic, data);
                    require(text == null || !text.contains("poison"));
                    return text;
                }
            });
            List<Long> offsets = new CopyOnWriteArrayList<>();
            var container = new ConcurrentMessageListenerContainer<String, String>(
                    new DefaultKafkaConsumerFactory<>(scene.consumerConfig(), new StringDeserializer(), failing),
                    container(ledger, scene, AckMode.BATCH, id -> {}).getContainerProperties());
            container.setBeanName("rejected");
            container.setCommonErrorHandler(
                    new DefaultErrorHandler((record, e) -> offsets.add(record.offset()), new FixedBackOff(0, 5)));

            scene.runUntilCommitted(container);

            assertThat(ledger.effects()).containsExactly("a", "b", "c", "d");
            assertThat(called).containsExactly("a", "b", "c", "d");
            assertThat(offsets).containsExactly(1L, 3L, 5L);
        }
    }

    @ParameterizedTest
    @CsvSource({"true, false", "false, true"})
    @DisplayName("a stop or a pause in mid-poll: what was handled ahead is a duplicate afterwards, nothing is lost")
    void stopOrPause(boolean stops, boolean pauses) {
        try (Ledger ledger = Ledger.postgres();
                Scene scene = scene(ledger)) {
            scene.send(TEN);
            AtomicReference<@Nullable ConcurrentMessageListenerContainer<String, String>> running =
                    new AtomicReference<>();
            var container = container(ledger, scene, AckMode.RECORD, id -> {
                if (id.equals("c")) {
                    if (pauses) {
                        Objects.requireNonNull(running.get()).pause();
                    } else {
                        Objects.requireNonNull(running.get()).stop(() -> {});
                    }
                }
            });
            container.getContainerProperties().setStopImmediate(stops);
            container.getContainerProperties().setPauseImmediate(pauses);
            running.set(container);
            scene.start(container);
            await().until(() -> ledger.effects().size() == 10);
            if (pauses) {
                container.resume();
                scene.awaitAllCommitted();
            } else {
                await().until(() -> !container.isRunning());
                scene.runUntilCommitted(container(ledger, scene, AckMode.RECORD, id -> {}));
            }
            assertThat(called).containsExactly(TEN);
            assertThat(ledger.effects()).containsExactly(TEN);
        }
    }

    @Test
    @DisplayName(
            "handlers that take longer than max.poll.interval.ms: the partition's next consumer waits for the commit")
    void rebalancedInMidPoll() {
        try (Ledger ledger = Ledger.postgres();
                Scene scene = scene(ledger)) {
            CountDownLatch goOn = new CountDownLatch(1);
            scene.send("a", "b", "c", "d");
            Consumer<String> blocks = id -> {
                if (id.equals("c") && times.getAndIncrement() == 0) {
                    await().until(() -> goOn.await(1, TimeUnit.SECONDS));
                }
            };
            scene.start(scene.container(
                    container(ledger, scene, AckMode.BATCH, blocks).getContainerProperties(),
                    Map.of("max.poll.interval.ms", 1000)));
            await().until(() -> times.get() > 0);
            scene.start(container(ledger, scene, AckMode.BATCH, blocks));
            await().until(() -> scene.deferrals.size() >= 5);
            assertThat(ledger.effects()).isEmpty();

            goOn.countDown();
            scene.awaitCommitted(4);
            assertThat(ledger.effects()).containsExactly("a", "b", "c", "d");
            assertThat(called).containsExactly("a", "b", "c", "d");
        }
    }

    @Test
    @DisplayName("two consumers, resent messages, failures, a replay: one effect each")
    void many() {
        List<String> expected = Collections.synchronizedList(new ArrayList<>());
        try (Ledger ledger = Ledger.postgres();
                Scene scene = ledger.scene(
                        DedupMode.TRANSACTIONAL,
                        3,
                        policy -> policy.transaction(TransactionSpan.POLL).transactionMaxRecords(7))) {
            for (int i = 0; i < 120; i++) {
                scene.sendTo(i % 3, "m" + i);
                if (i % 4 == 0) {
                    scene.sendTo((i + i / 4) % 3, "m" + i);
                }
                expected.add("m" + i);
            }
            for (int round = 0; round < 2; round++) {
                Consumer<String> failing = id -> require(times.incrementAndGet() % 11 != 0);
                var one = scene.start(container(ledger, scene, AckMode.BATCH, failing));
                var two = scene.start(container(ledger, scene, AckMode.BATCH, failing));
                one.setCommonErrorHandler(errorHandler(9));
                scene.awaitAllCommitted();
                one.stop();
                two.stop();
                assertThat(ledger.effects()).hasSize(120).containsExactlyInAnyOrderElementsOf(expected);
                scene.rewind();
            }
            assertThat(recovered).isEmpty();
        }
    }

    @Test
    @DisplayName("each handler has the context of its own message, and sees no other's")
    void contexts() {
        try (Ledger ledger = Ledger.postgres();
                Scene scene = scene(ledger)) {
            List<String> keys = new CopyOnWriteArrayList<>();
            scene.send("a", "b", "c");

            scene.runUntilCommitted(container(ledger, scene, AckMode.BATCH, id -> {
                DedupContext context = scene.contexts.current();
                keys.add(Objects.requireNonNull(context.key()).messageId() + context.attempt());
            }));

            assertThat(keys).containsExactly("a1", "b1", "c1");
        }
    }
}
