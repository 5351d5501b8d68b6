package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.LiveLease;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.WaitBudget;
import io.dedup.policy.DedupMode;
import io.dedup.policy.Window;
import io.dedup.store.transaction.RecordRequest;
import io.dedup.store.transaction.RecordResult;
import io.dedup.store.transaction.RecordTransaction;
import io.dedup.store.transaction.TransactionalRecords;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.springframework.kafka.listener.BatchAcknowledgingMessageListener;
import org.springframework.kafka.listener.BatchListenerFailedException;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.util.backoff.FixedBackOff;

/** Batch listeners whose batch is one transaction, on real databases. */
class TransactionalBatchTest {
    private static final String LEASED = "LEASED";

    private final List<String> recovered = new CopyOnWriteArrayList<>();
    private final List<List<String>> handed = new CopyOnWriteArrayList<>();
    private final AtomicInteger calls = new AtomicInteger();

    private static Ledger ledger(String database) {
        return database.equals("postgres") ? Ledger.postgres() : Ledger.mariaDb();
    }

    private DefaultErrorHandler errorHandler(int retries) {
        return new DefaultErrorHandler((record, e) -> recovered.add(Scene.id(record)), new FixedBackOff(0, retries));
    }

    private void effects(Ledger ledger, List<ConsumerRecord<String, String>> records) {
        handed.add(records.stream().map(Scene::id).toList());
        records.forEach(record -> ledger.effect(Scene.id(record)));
    }

    @ParameterizedTest
    @CsvSource({
        "postgres, TRANSACTIONAL",
        "postgres, LEASED_TRANSACTIONAL",
        "postgres, TIERED",
        "mariadb, TRANSACTIONAL",
        "mariadb, TIERED"
    })
    @DisplayName("S4 two consumers, resent messages, a replay: one effect each")
    void once(String database, DedupMode mode) {
        int partitions = 3;
        int messages = 120;
        Set<String> expected = new HashSet<>();
        try (Ledger ledger = ledger(database);
                Scene scene = ledger.scene(mode, partitions, policy -> policy)) {
            for (int i = 0; i < messages; i++) {
                scene.sendTo(i % partitions, "m" + i);
                if (i % 4 == 0) {
                    scene.sendTo((i + i / 4) % partitions, "m" + i);
                }
                expected.add("m" + i);
            }
            for (int round = 0; round < 2; round++) {
                var one = scene.start(scene.container(
                        AckMode.BATCH, (BatchMessageListener<String, String>) records -> effects(ledger, records)));
                var two = scene.start(scene.container(
                        AckMode.BATCH, (BatchMessageListener<String, String>) records -> effects(ledger, records)));
                scene.awaitAllCommitted();
                one.stop();
                two.stop();
                assertThat(ledger.effects()).hasSize(messages).containsExactlyInAnyOrderElementsOf(expected);
                scene.rewind();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = LEASED)
    @DisplayName("K11 K6 a failure in the middle: the good ones before it run again and commit, with their offsets")
    void failsInTheMiddle(DedupMode mode) {
        try (Ledger ledger = Ledger.postgres();
                Scene scene = ledger.scene(mode)) {
            scene.send("a", "b", "bad", "c");
            var container = scene.container(AckMode.BATCH, (BatchMessageListener<String, String>) records -> {
                effects(ledger, records);
                for (int i = 0; i < records.size(); i++) {
                    if (Scene.id(records.get(i)).equals("bad")) {
                        throw new BatchListenerFailedException("always", i);
                    }
                }
            });
            container.setCommonErrorHandler(errorHandler(2));

            scene.runUntilCommitted(container);

            assertThat(ledger.effects()).containsExactly("a", "b", "c");
            assertThat(recovered).containsExactly("bad");
            assertThat(handed.get(1))
                    .isEqualTo(handed.get(0).subList(0, handed.get(0).indexOf("bad")));
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = LEASED)
    @DisplayName(
            "K6 a message that always fails, and a copy of it with another payload behind it: the partition goes on")
    void failsWithACopyBehind(DedupMode mode) {
        try (Ledger ledger = Ledger.postgres();
                Scene scene = ledger.scene(mode, 1, policy -> policy.fingerprint(true))) {
            scene.send("bad");
            scene.send(scene.record(0, "bad".getBytes(StandardCharsets.UTF_8), "another payload"));
            scene.send("c", "d");
            var container = scene.container(AckMode.BATCH, (BatchMessageListener<String, String>) records -> {
                if (records.get(0).offset() == 0) {
                    throw new IllegalStateException("names none");
                }
                effects(ledger, records);
            });
            container.setCommonErrorHandler(errorHandler(2));

            scene.runUntilCommitted(container);

            assertThat(recovered).containsExactly("bad");
            assertThat(ledger.effects()).as("the copy is new by then").containsExactly("bad", "c", "d");
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = LEASED)
    @DisplayName("K11 a failure of the whole batch leaves nothing, and commits no offset")
    void failsAsAWhole(DedupMode mode) {
        try (Ledger ledger = Ledger.postgres();
                Scene scene = ledger.scene(mode)) {
            scene.send("a", "a", "b", "c");
            var container = scene.container(AckMode.BATCH, (BatchMessageListener<String, String>) records -> {
                assertThat(scene.committed()).isEmpty();
                assertThat(ledger.effects()).isEmpty();
                effects(ledger, records);
                if (calls.incrementAndGet() <= 3) {
                    throw new IllegalStateException("after all effects");
                }
            });
            container.setCommonErrorHandler(errorHandler(9));

            scene.runUntilCommitted(container);

            assertThat(ledger.effects()).containsExactly("a", "b", "c");
            assertThat(recovered).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"postgres, TRANSACTIONAL", "postgres, TIERED", "mariadb, TRANSACTIONAL"})
    @DisplayName("S11 one message of the batch is in a transaction elsewhere: those before it commit, the rest waits")
    void inFlightInTheMiddle(String database, DedupMode mode) {
        try (Ledger ledger = ledger(database);
                Scene scene = ledger.scene(mode)) {
            scene.send("a", "b", "busy", "c", "d");
            RecordTransaction elsewhere = ((TransactionalRecords) ledger.transactions).begin(Duration.ofSeconds(60));
            assertThat(elsewhere.claimAll(
                            List.of(new RecordRequest(scene.dedup.key(scene.topic, "busy"), Window.forever(), null))))
                    .hasOnlyElementsOfType(RecordResult.Written.class);
            var container = scene.container(
                    AckMode.BATCH, (BatchMessageListener<String, String>) records -> effects(ledger, records));
            container.setCommonErrorHandler(errorHandler(0));
            scene.start(container);

            scene.awaitCommitted(2);
            await().until(() -> scene.deferrals.size() > 3);
            elsewhere.rollback();
            scene.awaitAllCommitted();

            assertThat(ledger.effects()).containsExactly("a", "b", "busy", "c", "d");
            assertThat(handed.stream().flatMap(List::stream)).containsExactly("a", "b", "busy", "c", "d");
            assertThat(recovered).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = LEASED)
    @DisplayName(
            "K5 K6 manual: nack, partial and missing acknowledgments commit what is acknowledged, and nothing else")
    void manual(DedupMode mode) {
        try (Ledger ledger = Ledger.postgres();
                Scene scene = ledger.scene(mode)) {
            scene.send("a", "b", "c", "d");
            var container = scene.container(AckMode.MANUAL, (BatchAcknowledgingMessageListener<String, String>)
                    (records, ack) -> {
                        effects(ledger, records);
                        List<String> ids = handed.get(handed.size() - 1);
                        if (ids.equals(List.of("a", "b", "c", "d"))) {
                            ack.nack(2, Duration.ofMillis(10)); // a and b are good
                        } else if (!ids.equals(List.of("c", "d"))) {
                            ack.acknowledge();
                        } else if (calls.incrementAndGet() > 1) {
                            ack.acknowledge(0); // c is good; the first time nothing was
                        }
                    });
            container.setCommonErrorHandler(errorHandler(0));
            scene.runUntilCommitted(container);

            assertThat(ledger.effects()).containsExactly("a", "b", "c", "d");
            assertThat(handed)
                    .isEqualTo(List.of(
                            List.of("a", "b", "c", "d"),
                            List.of("a", "b"),
                            List.of("c", "d"),
                            List.of("c", "d"),
                            List.of("c"),
                            List.of("d")));
            assertThat(recovered).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = LEASED)
    @DisplayName(
            "a batch that is cut by a message without an ID: those before it commit, it is recovered, the rest goes on")
    void rejectedInTheMiddle(DedupMode mode) {
        try (Ledger ledger = Ledger.postgres();
                Scene scene = ledger.scene(mode)) {
            scene.send("a");
            scene.send(scene.record(0, new byte[0], "no id"));
            scene.send("b");
            List<Long> offsets = new CopyOnWriteArrayList<>();
            var container = scene.container(
                    AckMode.BATCH, (BatchMessageListener<String, String>) records -> effects(ledger, records));
            container.setCommonErrorHandler(
                    new DefaultErrorHandler((record, e) -> offsets.add(record.offset()), new FixedBackOff(0, 3)));

            scene.runUntilCommitted(container);

            assertThat(ledger.effects()).containsExactly("a", "b");
            assertThat(offsets).containsExactly(1L);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"LEASED_TRANSACTIONAL", "TIERED"})
    @DisplayName(
            "T1 a successor that takes over while the batch runs: its lease refuses the commit, the record decides")
    void leaseLost(DedupMode mode) {
        try (Ledger ledger = Ledger.postgres();
                Scene scene = ledger.scene(mode)) {
            scene.send("a", "b");
            var container = scene.container(AckMode.BATCH, (BatchMessageListener<String, String>) records -> {
                effects(ledger, records);
                if (calls.incrementAndGet() == 1) {
                    scene.store.forget(scene.dedup.key(scene.topic, "a"), LiveLease.OVERRIDE);
                    var other = scene.closeLater(scene.deduplicator(policy -> policy.mode(DedupMode.LEASED)));
                    var admission = DedupAdapter.of(other)
                            .admit(
                                    Delivery.of(other.topic(scene.topic), "a", null, () -> "a successor"),
                                    WaitBudget.none());
                    assertThat(admission).isInstanceOfSatisfying(Admission.Run.class, run -> {
                        if (mode == DedupMode.LEASED_TRANSACTIONAL) {
                            run.execution().begin();
                            run.execution().abandon(); // its lease runs out
                        }
                    });
                }
            });
            container.setCommonErrorHandler(errorHandler(0));

            scene.runUntilCommitted(container);

            assertThat(ledger.effects()).containsExactly("a", "b");
            assertThat(recovered).isEmpty();
            if (mode == DedupMode.LEASED_TRANSACTIONAL) {
                assertThat(scene.deferrals).contains("a LEASE_LOST");
            }
        }
    }
}
