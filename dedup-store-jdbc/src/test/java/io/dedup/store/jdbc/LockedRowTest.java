package io.dedup.store.jdbc;

import static io.dedup.store.jdbc.support.Messages.acquireAll;
import static io.dedup.store.jdbc.support.Messages.assertAcquired;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.DedupKey;
import io.dedup.DedupOutcome;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.DedupOutcome.Deferred;
import io.dedup.DedupStoreException;
import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.policy.OnStoreFailure;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.support.Messages;
import io.dedup.store.jdbc.support.OnEachDatabase;
import io.dedup.store.jdbc.support.Rival;
import io.dedup.store.jdbc.support.TestDatabase;
import io.dedup.store.operator.ImportRequest;
import io.dedup.store.operator.ImportResult.Decision;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rows that somebody else's transaction holds, and doesn't let go of. */
@SuppressWarnings("try") // a rival only has to be there
class LockedRowTest {
    /** Far beyond the lock timeout, at most a second, since machines are busy, and far below the databases' own 50 s. */
    private static final Duration LATE = Duration.ofSeconds(15);

    private final Messages messages = new Messages();
    private TestDatabase database;
    private JdbcDedupStore store;

    private void start(JdbcDialect dialect) {
        database = TestDatabase.open(dialect);
        store = database.hastyStore();
    }

    @AfterEach
    void stop() {
        database.close();
    }

    @OnEachDatabase
    @DisplayName("S2 a claim of a locked row ends with the lock timeout, and says so; then the row is free again")
    void lockedClaim(JdbcDialect dialect) throws SQLException {
        start(dialect);
        DedupKey key = messages.key();
        Messages.released(store, key);
        ClaimRequest request = Messages.claim(key);

        try (Rival rival = Rival.locking(database, key)) {
            long start = System.nanoTime();
            assertThatThrownBy(() -> Messages.only(store.claim(List.of(request))))
                    .isInstanceOf(DedupStoreException.class)
                    .hasMessageContaining("lockTimeout(...), which is PT0.2S");
            assertSoon(start);
        }

        assertAcquired(Messages.only(store.claim(List.of(request))), 2);
    }

    @OnEachDatabase
    @DisplayName("S2 a claim of a key that somebody inserts without committing ends with the lock timeout, too")
    void uncommittedInsert(JdbcDialect dialect) throws SQLException {
        start(dialect);
        ClaimRequest request = Messages.claim(messages.key());

        try (Rival rival = new Rival(database)) {
            rival.insertDone(request.key());
            long start = System.nanoTime();
            assertThatThrownBy(() -> Messages.only(store.claim(List.of(request))))
                    .isInstanceOf(DedupStoreException.class)
                    .hasMessageContaining("lockTimeout");
            assertSoon(start);
            rival.rollback();
        }

        assertAcquired(Messages.only(store.claim(List.of(request))), 1);
    }

    @OnEachDatabase
    @DisplayName(
            "a message whose record somebody has inserted without committing is in flight: with PROCESS it isn't run either")
    void isNotRunUnguarded(JdbcDialect dialect) throws SQLException {
        start(dialect);
        try (Rival rival = new Rival(database);
                Deduplicator dedup = Deduplicators.builder(store)
                        .consumer("billing")
                        .topic("orders", policy -> policy.onStoreFailure(OnStoreFailure.PROCESS))
                        .build()) {
            DedupKey key = dedup.key("orders", messages.key().messageId());
            rival.insertDone(key);
            for (int i = 0; i < 3; i++) { // as often as closes the gate of a store that is down
                DedupOutcome<String> outcome = dedup.execute(key, context -> "must not run");
                assertThat(outcome).isInstanceOfSatisfying(Deferred.class, deferred -> {
                    assertThat(deferred.reason()).isEqualTo(DeferReason.IN_FLIGHT);
                    assertThat(deferred.cause()).hasMessageContaining("lockTimeout");
                });
            }
            rival.rollback();
        }
    }

    @OnEachDatabase
    @DisplayName("S2 a session has the application's limits, mode and time zone again, also after a claim that gave up")
    void sessionIsAsBefore(JdbcDialect dialect) throws SQLException {
        database = TestDatabase.open(dialect);
        try (HikariDataSource pool = database.pool(config -> config.setMaximumPoolSize(1));
                JdbcDedupStore single = database.builder(pool)
                        .lockTimeout(Duration.ofMillis(200))
                        .build()) {
            List<String> before = settings(pool);
            for (int times = 0; times < 3; times++) {
                DedupKey locked = messages.key();
                DedupKey done = messages.key();
                Messages.released(single, locked);
                try (Rival rival = Rival.locking(database, locked)) {
                    assertThatThrownBy(() -> Messages.only(single.claim(List.of(Messages.claim(locked)))));
                    assertThat(settings(pool)).isEqualTo(before);
                    assertThat(single.claim(List.of(Messages.claim(messages.key()), Messages.claim(locked))))
                            .last()
                            .isInstanceOf(ClaimResult.StoreError.class);
                }
                acquireAll(single, List.of(Messages.claim(messages.key()), Messages.claim(messages.key())));
                Messages.done(single, done);
                ClaimResult duplicate = Messages.only(single.claim(List.of(Messages.claim(done))));
                assertThat(duplicate).isInstanceOf(ClaimResult.AlreadyDone.class);
                assertThat(settings(pool)).isEqualTo(before);
            }
        }
    }

    private List<String> settings(HikariDataSource pool) throws SQLException {
        String query = switch (database.dialect()) {
            case POSTGRESQL ->
                "SELECT concat_ws('|', current_setting('lock_timeout'), current_setting('statement_timeout'),"
                        + " current_setting('TimeZone'), current_setting('transaction_isolation'))";
            case MARIADB, MYSQL ->
                "SELECT CONCAT_WS('|', @@innodb_lock_wait_timeout, @@lock_wait_timeout, @@max_statement_time,"
                        + " @@sql_mode, @@time_zone, @@autocommit)";
            case H2, GENERIC -> "SELECT concat(lock_timeout(), '')";
        };
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(query)) {
            result.next();
            return List.of(result.getString(1), Integer.toString(connection.getNetworkTimeout()));
        }
    }

    @OnEachDatabase
    @DisplayName("an import reports a row that another session has locked as held, and imports the others")
    void lockedInImport(JdbcDialect dialect) throws SQLException {
        start(dialect);
        DedupKey locked = messages.key();
        List<ImportRequest> requests = Stream.of(messages.key(), locked, messages.key())
                .map(key -> new ImportRequest(key, Instant.now().minusSeconds(60), Messages.WINDOW, null))
                .toList();

        try (Rival rival = new Rival(database)) {
            rival.insertDone(locked);
            assertThat(store.importDone(requests)).containsExactly(Decision.IMPORTED, Decision.HELD, Decision.IMPORTED);
            rival.rollback();
        }

        assertThat(store.importDone(requests)).containsExactly(Decision.KNOWN, Decision.IMPORTED, Decision.KNOWN);
    }

    @OnEachDatabase
    @DisplayName("S11 one locked row costs its own key the claim, and no other of the batch")
    void lockedInBatch(JdbcDialect dialect) throws SQLException {
        start(dialect);
        List<ClaimRequest> requests = new ArrayList<>(messages.claims(20));
        DedupKey locked = messages.key();
        Messages.released(store, locked);
        requests.add(7, Messages.claim(locked));

        long start = System.nanoTime();
        List<ClaimResult> answers;
        try (Rival rival = Rival.locking(database, locked)) {
            answers = store.claim(requests);
        }

        assertSoon(start);
        assertThat(answers.remove(7))
                .isInstanceOfSatisfying(
                        ClaimResult.StoreError.class,
                        error -> assertThat(error.cause()).hasMessageContaining("lockTimeout"));
        assertThat(answers).hasSize(20).allSatisfy(answer -> assertAcquired(answer, 1));
        assertThat(store.claim(requests))
                .as("the same requests again, now that nothing is locked")
                .hasOnlyElementsOfType(ClaimResult.Acquired.class);
    }

    /**
     * Not the generic dialect: it sends a batch by the driver, and H2's goes on after a failed row, waiting for each one
     * anew.
     */
    @ParameterizedTest(name = "{0}")
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "GENERIC")
    @DisplayName("S11 a batch over many locked rows ends within a multiple of its timeouts, each key with an answer")
    void manyLocked(JdbcDialect dialect) throws SQLException {
        start(dialect);
        JdbcDedupStore hasty = database.closing(
                database.builder().queryTimeout(Duration.ofSeconds(1)).build());
        List<ClaimRequest> held = acquireAll(store, messages.claims(30));
        store.release(held.stream().map(Messages::release).toList());

        long start = System.nanoTime();
        List<ClaimResult> answers;
        try (Rival rival =
                Rival.locking(database, held.stream().map(ClaimRequest::key).toList())) {
            answers = hasty.claim(Messages.again(held));
        }

        assertSoon(start);
        assertThat(answers).hasSize(30).hasOnlyElementsOfType(ClaimResult.StoreError.class);
    }

    @OnEachDatabase
    @DisplayName("S11 one locked row costs its own key the completion, which is applied when it is repeated")
    void lockedCompletion(JdbcDialect dialect) throws SQLException {
        start(dialect);
        List<ClaimRequest> held = acquireAll(store, messages.claims(10));

        List<WriteResult> answers;
        try (Rival rival = Rival.locking(database, held.get(4).key())) {
            answers = store.complete(held.stream().map(Messages::complete).toList());
        }

        assertThat(answers.remove(4)).isInstanceOf(WriteResult.StoreError.class);
        assertThat(answers).hasSize(9).containsOnly(WriteResult.applied());
        assertThat(store.complete(held.stream()
                        .map(request -> Messages.complete(request, true))
                        .toList()))
                .containsOnly(WriteResult.applied());
    }

    @OnEachDatabase
    @DisplayName("S10 the heartbeat renews what is free, and doesn't take a locked claim for a lost one")
    void heartbeat(JdbcDialect dialect) throws SQLException {
        start(dialect);
        if (dialect != JdbcDialect.GENERIC) { // which cannot skip
            store = database.patientStore(); // to wait for a single row would be too late
        }
        List<ClaimRequest> locked = acquireAll(store, messages.claims(3));
        List<ClaimRequest> free = acquireAll(store, messages.claims(5));
        ClaimRequest stranger = Messages.claim(messages.key());
        List<ClaimRequest> all = new ArrayList<>(locked);
        all.addAll(free);
        all.add(stranger);

        long start = System.nanoTime();
        List<WriteResult> answers;
        try (Rival rival =
                Rival.locking(database, locked.stream().map(ClaimRequest::key).toList())) {
            answers = store.renew(all.stream().map(Messages::renew).toList());
        }

        assertSoon(start);
        assertThat(answers.subList(0, locked.size())).hasOnlyElementsOfType(WriteResult.StoreError.class);
        assertThat(answers.subList(locked.size(), all.size() - 1)).containsOnly(WriteResult.applied());
        assertThat(answers.get(all.size() - 1)).isEqualTo(WriteResult.leaseLost());
        assertThat(store.renew(locked.stream().map(Messages::renew).toList()))
                .as("once the locks are gone")
                .containsOnly(WriteResult.applied());
    }

    @OnEachDatabase
    @DisplayName("S10 a locked claim whose lease is over is neither renewed nor lost; free, it is renewed")
    void lateHeartbeat(JdbcDialect dialect) throws SQLException {
        start(dialect);
        List<ClaimRequest> held = acquireAll(store, messages.claims(3));
        database.age(Messages.LEASE);

        try (Rival rival = Rival.locking(database, held.get(1).key())) {
            List<WriteResult> answers =
                    store.renew(held.stream().map(Messages::renew).toList());
            assertThat(answers.get(0)).isEqualTo(WriteResult.applied());
            assertThat(answers.get(1)).isInstanceOf(WriteResult.StoreError.class);
            assertThat(answers.get(2)).isEqualTo(WriteResult.applied());
        }

        assertThat(store.renew(held.stream().map(Messages::renew).toList())).containsOnly(WriteResult.applied());
    }

    private static void assertSoon(long start) {
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(LATE);
    }
}
