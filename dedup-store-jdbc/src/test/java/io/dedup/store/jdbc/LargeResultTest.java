package io.dedup.store.jdbc;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.DedupCall;
import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupOutcome;
import io.dedup.DedupOutcome.Completion;
import io.dedup.Deduplicator;
import io.dedup.ResultCodec;
import io.dedup.adapter.DedupAdapter;
import io.dedup.engine.DeduplicatorBuilder;
import io.dedup.engine.Deduplicators;
import io.dedup.policy.DedupMode;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.ClaimRequest;
import io.dedup.store.CompleteRequest;
import io.dedup.store.StoredRecord.State;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.support.Messages;
import io.dedup.store.jdbc.support.TestDatabase;
import io.dedup.testservers.sql.MariaDbServer;
import io.dedup.testservers.sql.MariaDbServers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** Results that a policy permits and the server doesn't: its {@code max_allowed_packet} is 1 MiB here. */
class LargeResultTest {
    private static final String BIG = "x".repeat(2 << 20);

    private static MariaDbServer server;

    private final Messages messages = new Messages();
    private final List<String> notKept = new CopyOnWriteArrayList<>();
    private TestDatabase database;
    private HikariDataSource pool;
    private JdbcDedupStore store;

    @BeforeAll
    static void startServer() {
        server = MariaDbServers.builder().setting("max-allowed-packet", "1M").start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    private void start(JdbcDialect dialect, String option) {
        database = option.isEmpty()
                ? TestDatabase.of(dialect, server.newDatabase())
                : TestDatabase.with(dialect, server.newDatabase(), option);
        pool = database.pool();
        store = database.closing(database.builder(pool).build());
    }

    @AfterEach
    void stop() {
        database.close();
    }

    private Deduplicator deduplicator(
            UnaryOperator<DedupPolicy.Builder> policy, UnaryOperator<DeduplicatorBuilder> more) {
        return more.apply(Deduplicators.builder(store)
                        .consumer("c")
                        .topic("t", each -> policy.apply(each.maxResultBytes(4 << 20)))
                        .listener(new DedupListener() {
                            @Override
                            public void resultNotKept(DedupKey key, int bytes) {
                                notKept.add(key.messageId());
                            }
                        }))
                .build();
    }

    private static DedupCall<String> call(Deduplicator dedup, String id) {
        return DedupCall.<String>of(dedup.key("t", id)).withResult(ResultCodec.utf8());
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({"MARIADB, ''", "MARIADB, useServerPrepStmts=true", "MYSQL, ''", "MYSQL, useServerPrepStmts=true"})
    @DisplayName("S15 LEASED: a result that the server doesn't take isn't kept; the message is done, and runs once")
    void leased(JdbcDialect dialect, String option) {
        start(dialect, option);
        AtomicInteger runs = new AtomicInteger();
        try (Deduplicator dedup = deduplicator(policy -> policy, builder -> builder)) {
            DedupOutcome<String> first = dedup.execute(call(dedup, "big"), context -> {
                runs.incrementAndGet();
                return BIG;
            });
            assertThat(first)
                    .isInstanceOfSatisfying(
                            DedupOutcome.Handled.class,
                            handled -> assertThat(handled.completion()).isEqualTo(Completion.DONE));
            assertThat(dedup.execute(call(dedup, "big"), context -> BIG)).isInstanceOf(DedupOutcome.Duplicate.class);
            assertThat(runs).hasValue(1);
            assertThat(notKept).containsExactly("big");
            assertThat(DedupAdapter.of(dedup).pendingCompletions()).isZero();
        }
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({"MARIADB, ''", "MARIADB, useServerPrepStmts=true", "MYSQL, ''"})
    @DisplayName(
            "S15 TRANSACTIONAL and LEASED_TRANSACTIONAL: it isn't kept, and the effect is committed with the record")
    void transactional(JdbcDialect dialect, String option) {
        start(dialect, option);
        JdbcTemplate business = new JdbcTemplate(pool);
        database.execute("CREATE TABLE effect (id varchar(100) NOT NULL)");
        for (DedupMode mode : List.of(DedupMode.TRANSACTIONAL, DedupMode.LEASED_TRANSACTIONAL)) {
            String id = mode.name();
            try (Deduplicator dedup = deduplicator(
                    policy -> policy.mode(mode),
                    builder -> builder.transactions(store.transactions(new JdbcTransactionManager(pool))))) {
                assertThat(dedup.execute(call(dedup, id), context -> {
                            business.update("INSERT INTO effect VALUES (?)", id);
                            return BIG;
                        }))
                        .isInstanceOf(DedupOutcome.Handled.class);
                assertThat(dedup.execute(call(dedup, id), context -> BIG)).isInstanceOf(DedupOutcome.Duplicate.class);
            }
        }
        assertThat(database.count("SELECT count(*) FROM effect")).isEqualTo(2);
        assertThat(notKept).containsExactly("TRANSACTIONAL", "LEASED_TRANSACTIONAL");
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(names = {"MARIADB", "MYSQL"})
    @DisplayName(
            "S15 the largest result that the store names does fit, whatever its bytes are, and so do many in one batch")
    void largest(JdbcDialect dialect) {
        start(dialect, "");
        assertThat(store.maxResultBytes()).isBetween(400_000, 600_000);
        List<ClaimRequest> held = Messages.acquireAll(store, messages.claims(6));
        byte[] zeros = new byte[store.maxResultBytes()]; // the driver's text form escapes each of them
        List<CompleteRequest> requests = new ArrayList<>();
        for (ClaimRequest request : held) {
            CompleteRequest complete = Messages.complete(request);
            requests.add(new CompleteRequest(complete.claim(), complete.window(), zeros, false));
        }

        assertThat(store.complete(requests)).containsOnly(WriteResult.applied());
        assertThat(store.find(held.get(5).key()).orElseThrow().result()).hasSize(zeros.length);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(names = {"MARIADB", "MYSQL"})
    @DisplayName("S15 a batch of many long keys is cut into statements that the server takes")
    void manyKeys(JdbcDialect dialect) {
        start(dialect, "");
        JdbcDedupStore wide =
                database.closing(database.builder(pool).maxBatch(5_000).build());
        List<ClaimRequest> requests = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            requests.add(Messages.claim(messages.key("\'".repeat(120) + i)));
        }

        Messages.acquireAll(wide, requests);
        assertThat(wide.renew(requests.stream().map(Messages::renew).toList())).containsOnly(WriteResult.applied());
        assertThat(wide.complete(requests.stream().map(Messages::complete).toList()))
                .containsOnly(WriteResult.applied());
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(names = {"MARIADB", "MYSQL"})
    @DisplayName("S15 one result that is too large costs its neighbours in the batch nothing")
    void neighbours(JdbcDialect dialect) {
        start(dialect, "");
        List<ClaimRequest> held = Messages.acquireAll(store, messages.claims(5));
        List<CompleteRequest> requests =
                new ArrayList<>(held.stream().map(Messages::complete).toList());
        CompleteRequest big = requests.get(2);
        requests.set(2, new CompleteRequest(big.claim(), big.window(), BIG.getBytes(US_ASCII), false));

        List<WriteResult> answers = store.complete(requests);

        assertThat(answers.remove(2))
                .isInstanceOfSatisfying(
                        WriteResult.StoreError.class,
                        error -> assertThat(error.cause()).hasMessageContaining("max_allowed_packet"));
        assertThat(answers).containsOnly(WriteResult.applied());
        assertThat(Messages.only(store.complete(List.of(Messages.complete(held.get(2))))))
                .isEqualTo(WriteResult.applied());
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({"MARIADB, LEASED", "MARIADB, TRANSACTIONAL", "MYSQL, LEASED"})
    @DisplayName(
            "S15 a limit that an operator lowers while the store runs: after a failure at most, messages are done again")
    void lowered(JdbcDialect dialect, DedupMode mode) {
        start(dialect, "");
        String result = "x".repeat(300_000);
        database.execute("SET GLOBAL max_allowed_packet = 131072");
        try (Deduplicator dedup = deduplicator(
                policy -> policy.mode(mode).lease(Duration.ofSeconds(5)),
                builder -> mode == DedupMode.LEASED
                        ? builder
                        : builder.transactions(store.transactions(new JdbcTransactionManager(pool))))) {
            pool.getHikariPoolMXBean().softEvictConnections();
            await().untilAsserted(() -> {
                DedupOutcome<String> outcome = dedup.execute(call(dedup, "lowered"), context -> result);
                assertThat(outcome).isInstanceOf(DedupOutcome.Duplicate.class);
            });
            await().untilAsserted(() -> assertThat(
                            store.find(dedup.key("t", "lowered")).orElseThrow().state())
                    .isEqualTo(State.DONE));
            assertThat(notKept).contains("lowered");
        } finally {
            database.execute("SET GLOBAL max_allowed_packet = 1048576");
        }
    }
}
