package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupOutcome;
import io.dedup.Deduplicator;
import io.dedup.policy.DedupMode;
import io.dedup.testservers.redis.RedisServers;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.kafka.listener.AcknowledgingMessageListener;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.backoff.FixedBackOff;

/** Record listeners whose effects commit with the record of their message, on real databases. */
class TransactionalListenerTest {
    private static final String LEASED = "LEASED";

    private final List<String> recovered = new CopyOnWriteArrayList<>();
    private final AtomicInteger failures = new AtomicInteger();

    private static Ledger ledger(String database) {
        return database.equals("postgres") ? Ledger.postgres() : Ledger.mariaDb();
    }

    private DefaultErrorHandler errorHandler(int retries) {
        return new DefaultErrorHandler((record, e) -> recovered.add(Scene.id(record)), new FixedBackOff(0, retries));
    }

    @Test
    @DisplayName("packed records in front of a database are packed, although what is left of their windows is odd")
    void packedFront() {
        String namespace = "tiered-" + UUID.randomUUID();
        try (Ledger ledger = Ledger.postgres();
                Scene scene =
                        ledger.tiered(Ledger.redis(namespace).packed(1_000).build())) {
            scene.send("a", "b", "a");
            scene.runUntilCommitted(scene.container(
                    AckMode.RECORD, (MessageListener<String, String>) record -> ledger.effect(Scene.id(record))));

            assertThat(ledger.effects()).containsExactly("a", "b");
            assertThat(RedisServers.shared().command("KEYS", namespace + "{*"))
                    .isNotEmpty()
                    .doesNotContain(scene.topic);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "postgres, TRANSACTIONAL, RECORD",
        "postgres, TRANSACTIONAL, MANUAL",
        "postgres, LEASED_TRANSACTIONAL, BATCH",
        "postgres, LEASED_TRANSACTIONAL, MANUAL_IMMEDIATE",
        "postgres, TIERED, RECORD",
        "postgres, TIERED, MANUAL",
        "mariadb, TRANSACTIONAL, BATCH",
        "mariadb, LEASED_TRANSACTIONAL, RECORD",
        "mariadb, TIERED, MANUAL_IMMEDIATE"
    })
    @DisplayName("K11 resent, failing after their effect, replayed: one effect each, and none of a failed attempt")
    void once(String database, DedupMode mode, AckMode ackMode) {
        try (Ledger ledger = ledger(database);
                Scene scene = ledger.scene(mode)) {
            scene.send("a", "b", "a", "c", "b");
            MessageListener<String, String> handler = record -> {
                assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                        .isTrue();
                ledger.effect(Scene.id(record));
                if (Scene.id(record).equals("b") && failures.incrementAndGet() <= 2) {
                    throw new IllegalStateException("after its effect");
                }
            };
            boolean manual = ackMode == AckMode.MANUAL || ackMode == AckMode.MANUAL_IMMEDIATE;
            Object shape = manual
                    ? (AcknowledgingMessageListener<String, String>) (record, ack) -> {
                        ack.acknowledge(); // before the effect: the container must not hear of it before the commit
                        handler.onMessage(record);
                    }
                    : handler;

            var container = scene.container(ackMode, shape);
            container.setCommonErrorHandler(errorHandler(5));
            scene.runUntilCommitted(container);
            assertThat(ledger.effects()).containsExactly("a", "b", "c");

            scene.rewind();
            var again = scene.container(ackMode, shape);
            scene.runUntilCommitted(again);
            assertThat(ledger.effects()).containsExactly("a", "b", "c");
            assertThat(failures).hasValue(3);
            assertThat(recovered).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = LEASED)
    @DisplayName(
            "a record that always fails is recovered after its attempts, without an effect; what is behind goes on")
    void alwaysFails(DedupMode mode) {
        try (Ledger ledger = Ledger.postgres();
                Scene scene = ledger.scene(mode)) {
            scene.send("a", "bad", "b");
            var container = scene.container(AckMode.RECORD, (MessageListener<String, String>) record -> {
                ledger.effect(Scene.id(record));
                if (Scene.id(record).equals("bad")) {
                    throw new IllegalStateException("always");
                }
            });
            container.setCommonErrorHandler(errorHandler(2));

            scene.runUntilCommitted(container);

            assertThat(ledger.effects()).containsExactly("a", "b");
            assertThat(recovered).containsExactly("bad");
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = LEASED)
    @DisplayName("S3 K3 a deadlock is deferred without limit: no attempt is counted, nothing is recovered")
    void deadlocks(DedupMode mode) {
        try (Ledger ledger = Ledger.postgres();
                Scene scene = ledger.scene(mode)) {
            scene.send("a", "b");
            var container = scene.container(AckMode.RECORD, (MessageListener<String, String>) record -> {
                ledger.effect(Scene.id(record));
                if (Scene.id(record).equals("a") && failures.incrementAndGet() <= 15) {
                    throw new CannotAcquireLockException("undone", new SQLException("deadlock detected", "40P01"));
                }
            });
            container.setCommonErrorHandler(errorHandler(1));

            scene.runUntilCommitted(container);

            assertThat(ledger.effects()).containsExactly("a", "b");
            assertThat(recovered).isEmpty();
            assertThat(scene.deferrals).hasSize(15).containsOnly("a ROLLED_BACK");
        }
    }

    @ParameterizedTest
    @CsvSource({"postgres, true", "postgres, false", "mariadb, true", "mariadb, false"})
    @DisplayName("T2 S2 a copy whose first one is in an open transaction elsewhere waits for what becomes of that one")
    void inFlightElsewhere(String database, boolean commits) throws Exception {
        try (Ledger ledger = ledger(database);
                Scene scene = ledger.scene(DedupMode.TRANSACTIONAL)) {
            Deduplicator other = scene.closeLater(scene.deduplicator(policy -> policy.mode(DedupMode.TRANSACTIONAL)));
            CountDownLatch running = new CountDownLatch(1);
            CountDownLatch goOn = new CountDownLatch(1);
            CompletableFuture<DedupOutcome<String>> elsewhere =
                    CompletableFuture.supplyAsync(() -> other.execute(other.key(scene.topic, "a"), context -> {
                        ledger.effect("a");
                        running.countDown();
                        await().until(() -> goOn.await(1, TimeUnit.SECONDS));
                        if (!commits) {
                            throw new IllegalStateException("no");
                        }
                        return "done";
                    }));
            running.await();
            scene.send("a");
            var container = scene.container(
                    AckMode.RECORD, (MessageListener<String, String>) record -> ledger.effect(Scene.id(record)));
            container.setCommonErrorHandler(errorHandler(0));
            scene.start(container);

            await().until(() -> scene.deferrals.size() > 5);
            assertThat(scene.deferrals).containsOnly("a IN_FLIGHT");
            assertThat(scene.committed()).isEmpty();
            assertThat(ledger.effects()).isEmpty();

            goOn.countDown();
            scene.awaitAllCommitted();
            assertThat(elsewhere)
                    .satisfies(ended ->
                            assertThat(ended.isCompletedExceptionally()).isEqualTo(!commits));
            assertThat(ledger.effects()).containsExactly("a");
            assertThat(recovered).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = LEASED)
    @DisplayName("K5 what isn't acknowledged is rolled back, and comes again until it is")
    void notAcknowledged(DedupMode mode) {
        try (Ledger ledger = Ledger.postgres();
                Scene scene = ledger.scene(mode)) {
            scene.send("a", "b");
            var container =
                    scene.container(AckMode.MANUAL, (AcknowledgingMessageListener<String, String>) (record, ack) -> {
                        ledger.effect(Scene.id(record));
                        int times = Scene.id(record).equals("a") ? failures.incrementAndGet() : 9;
                        if (times == 1) {
                            return;
                        }
                        if (times == 2) {
                            ack.nack(Duration.ofMillis(10));
                            return;
                        }
                        ack.acknowledge();
                    });
            container.setCommonErrorHandler(errorHandler(0));

            scene.runUntilCommitted(container);

            assertThat(ledger.effects()).containsExactly("a", "b");
            assertThat(failures).hasValue(3);
            assertThat(recovered).isEmpty();
        }
    }

    @Test
    @DisplayName("an acknowledgment after the handler's return, when the transaction is over, is refused")
    void lateAcknowledgment() {
        List<Throwable> thrown = new CopyOnWriteArrayList<>();
        try (Ledger ledger = Ledger.postgres();
                Scene scene = ledger.scene(DedupMode.TRANSACTIONAL)) {
            scene.send("a");
            List<Acknowledgment> kept = new CopyOnWriteArrayList<>();
            var container =
                    scene.container(AckMode.MANUAL, (AcknowledgingMessageListener<String, String>) (record, ack) -> {
                        ledger.effect(Scene.id(record));
                        if (kept.isEmpty()) {
                            kept.add(ack);
                            return;
                        }
                        try {
                            kept.get(0).acknowledge();
                        } catch (IllegalStateException e) {
                            thrown.add(e);
                        }
                        ack.acknowledge();
                    });

            scene.runUntilCommitted(container);

            assertThat(ledger.effects()).containsExactly("a");
            assertThat(thrown).hasSize(1).first().asString().contains("after its handler has returned");
        }
    }

    @Test
    @DisplayName("K11 a pool of one connection does: the transaction, its record and its handler share it")
    void oneConnection() {
        try (Ledger ledger = Ledger.postgres();
                Scene scene = ledger.scene(DedupMode.TRANSACTIONAL)) {
            ledger.pool.setMaximumPoolSize(1);
            scene.send("a", "b", "a");

            scene.runUntilCommitted(scene.container(
                    AckMode.RECORD, (MessageListener<String, String>) record -> ledger.effect(Scene.id(record))));

            assertThat(ledger.effects()).containsExactly("a", "b");
        }
    }
}
