package io.dedup.store.jdbc.internal.transaction;

import static io.dedup.store.jdbc.support.Messages.acquire;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.DedupKey;
import io.dedup.DedupStoreException;
import io.dedup.store.ClaimRequest;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.jdbc.JdbcDialect;
import io.dedup.store.jdbc.JdbcTransactions;
import io.dedup.store.jdbc.support.Messages;
import io.dedup.store.jdbc.support.OnEachDatabase;
import io.dedup.store.jdbc.support.OnServers;
import io.dedup.store.jdbc.support.Rival;
import io.dedup.store.jdbc.support.Scene;
import io.dedup.store.jdbc.support.Session;
import io.dedup.store.jdbc.support.TestDatabase;
import io.dedup.store.transaction.CommitResult;
import io.dedup.store.transaction.RecordResult;
import io.dedup.store.transaction.RecordTransaction;
import io.dedup.store.transaction.TooManyRecordsException;
import io.dedup.testservers.sql.PostgresServer;
import io.dedup.testservers.sql.PostgresServers;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/** Transactions that want one record. */
class RecordRacesTest {
    private static final RecordResult IN_FLIGHT = new RecordResult.InFlight(Duration.ZERO);

    private Scene scene;

    private void start(JdbcDialect dialect) {
        scene = new Scene(dialect);
    }

    /** On PostgreSQL, with statements that wait for locks longer than any test. */
    private void startPatient() {
        scene = new Scene(JdbcDialect.POSTGRESQL, TestDatabase::patient);
    }

    @AfterEach
    void stop() {
        if (scene != null) {
            scene.close();
        }
    }

    private void assertGoesOn(Session session) {
        session.run(() -> scene.effect("goes on"));
        assertThat(session.commit()).isInstanceOf(CommitResult.Committed.class);
        assertThat(scene.database.count("SELECT count(*) FROM effect WHERE id = 'goes on'"))
                .isEqualTo(1);
    }

    @OnEachDatabase
    @DisplayName(
            "S1 S2 a running rival is in flight, and the asking transaction goes on; once it has committed it is done")
    void rivalCommits(JdbcDialect dialect) {
        start(dialect);
        DedupKey key = scene.messages.key();
        try (Session rival = scene.session();
                Session late = scene.session()) {
            assertThat(rival.claim(key)).isInstanceOf(RecordResult.Written.class);
            try (Session asking = scene.session()) {
                assertThat(asking.claim(key)).isEqualTo(IN_FLIGHT);
                assertThat(asking.claim(key)).isEqualTo(IN_FLIGHT);
                assertGoesOn(asking);
            }
            assertThat(late.claim(key)).isEqualTo(IN_FLIGHT);
            rival.commit();
            assertThat(late.claim(key))
                    .as("in the transaction that saw it in flight")
                    .isInstanceOf(RecordResult.Done.class);
        }
        assertThat(scene.records()).isEqualTo(1);
    }

    @OnEachDatabase
    @DisplayName("a rival that rolls back, or takes its record back, leaves it to the next")
    void rivalRollsBack(JdbcDialect dialect) {
        start(dialect);
        DedupKey key = scene.messages.key();
        try (Session rival = scene.session();
                Session asking = scene.session()) {
            rival.claim(key);
            assertThat(asking.claim(key)).isEqualTo(IN_FLIGHT);
            rival.call(open -> {
                open.removeAll(List.of(key));
                return open;
            });
            assertThat(asking.claim(key)).isEqualTo(IN_FLIGHT);
            rival.rollback();
            assertThat(asking.claim(key)).isInstanceOf(RecordResult.Written.class);
            assertGoesOn(asking);
        }
        assertThat(scene.store.find(key)).isPresent();
    }

    @OnEachDatabase
    @DisplayName("a rival that writes over an expired or released record is in flight as well")
    void rivalOverwrites(JdbcDialect dialect) {
        start(dialect);
        DedupKey released = scene.messages.key();
        DedupKey expired = scene.messages.key();
        Messages.done(scene.store, expired);
        scene.database.age(Messages.WINDOW.duration());
        Messages.released(scene.store, released);
        List<DedupKey> keys = List.of(released, expired);
        try (Session rival = scene.session();
                Session asking = scene.session()) {
            assertThat(rival.claimAll(keys)).hasOnlyElementsOfType(RecordResult.Written.class);
            assertThat(asking.claimAll(keys)).containsOnly(IN_FLIGHT);
            rival.commit();
            assertThat(asking.claimAll(keys)).hasOnlyElementsOfType(RecordResult.Done.class);
            assertGoesOn(asking);
        }
    }

    @OnEachDatabase
    @DisplayName("S11 one of fifty is in flight: the others are written, and the transaction commits")
    void inBatch(JdbcDialect dialect) {
        start(dialect);
        List<DedupKey> keys =
                IntStream.range(0, 50).mapToObj(i -> scene.messages.key()).toList();
        Messages.done(scene.store, keys.get(3));
        acquire(scene.store, keys.get(4));
        try (Session rival = scene.session();
                Session asking = scene.session()) {
            rival.claim(keys.get(17));
            List<RecordResult> answers = new ArrayList<>(asking.claimAll(keys));
            assertThat(answers.remove(17)).isEqualTo(IN_FLIGHT);
            assertThat(answers.remove(4)).isInstanceOf(RecordResult.InFlight.class);
            assertThat(answers.remove(3)).isInstanceOf(RecordResult.Done.class);
            assertThat(answers).hasSize(47).hasOnlyElementsOfType(RecordResult.Written.class);
            assertGoesOn(asking);
            rival.rollback();
        }
        assertThat(scene.records()).isEqualTo(49);
    }

    @OnEachDatabase
    @DisplayName("a duplicate of a record that is done is told so while other duplicates' transactions are open")
    void duplicatesTogether(JdbcDialect dialect) {
        start(dialect);
        DedupKey done = scene.messages.key();
        DedupKey live = scene.messages.key();
        Messages.done(scene.store, done);
        acquire(scene.store, live);
        try (Session first = scene.session();
                Session second = scene.session()) {
            for (Session session : List.of(first, second)) {
                assertThat(session.claimAll(List.of(done, live)))
                        .satisfiesExactly(
                                answer -> assertThat(answer).isInstanceOf(RecordResult.Done.class),
                                answer -> assertThat(answer)
                                        .isInstanceOfSatisfying(
                                                RecordResult.InFlight.class,
                                                inFlight -> assertThat(inFlight.remaining())
                                                        .isPositive()));
            }
        }
    }

    @OnEachDatabase
    @DisplayName("many transactions over few messages, some of which roll back: each message takes effect once")
    void manyThreads(JdbcDialect dialect) {
        start(dialect);
        List<DedupKey> keys =
                IntStream.range(0, 25).mapToObj(i -> scene.messages.key()).toList();
        int threads = 6;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        List<Future<?>> running = new ArrayList<>();
        Set<DedupKey> handled = ConcurrentHashMap.newKeySet();
        for (int t = 0; t < threads; t++) {
            running.add(pool.submit(() -> handleAll(keys, handled)));
        }
        running.forEach(Session::get);
        pool.shutdown();

        assertThat(scene.effects()).isEqualTo(keys.size());
        assertThat(scene.database.count("SELECT count(DISTINCT id) FROM effect"))
                .isEqualTo(keys.size());
        assertThat(scene.records()).isEqualTo(keys.size());
    }

    private void handleAll(List<DedupKey> keys, Set<DedupKey> handled) {
        List<DedupKey> open = new ArrayList<>(keys);
        while (!open.isEmpty()) {
            Collections.shuffle(open, ThreadLocalRandom.current());
            List<DedupKey> some = List.copyOf(open.subList(0, Math.min(open.size(), 3)));
            RecordTransaction transaction = scene.transactions.beginWithRecords(Session.TIMEOUT);
            List<RecordResult> answers;
            try {
                answers =
                        transaction.claimAll(some.stream().map(Session::request).toList());
                for (int i = 0; i < some.size(); i++) {
                    if (answers.get(i) instanceof RecordResult.Written) {
                        scene.effect(some.get(i).messageId());
                    }
                }
            } catch (DedupStoreException | DataAccessException e) {
                transaction.rollback();
                assertThat(transaction.isUndoneByOthers(e)).as(e.toString()).isTrue();
                continue;
            }
            if (ThreadLocalRandom.current().nextInt(3) == 0) {
                transaction.rollback();
                continue;
            }
            assertThat(transaction.commit()).isInstanceOf(CommitResult.Committed.class);
            for (int i = 0; i < some.size(); i++) {
                if (answers.get(i) instanceof RecordResult.Written) {
                    assertThat(handled.add(some.get(i)))
                            .as("first to commit " + some.get(i))
                            .isTrue();
                }
                if (!(answers.get(i) instanceof RecordResult.InFlight)) {
                    open.remove(some.get(i));
                }
            }
        }
    }

    @OnEachDatabase
    @DisplayName("S4 batches in opposite orders neither deadlock nor both win")
    void oppositeOrders(JdbcDialect dialect) {
        start(dialect);
        int size = scene.database.isH2() ? 4 : 30; // each locked one costs a timeout there
        for (int round = 0; round < 8; round++) {
            List<DedupKey> keys =
                    IntStream.range(0, size).mapToObj(i -> scene.messages.key()).toList();
            List<DedupKey> reversed = new ArrayList<>(keys);
            Collections.reverse(reversed);
            try (Session one = scene.session();
                    Session other = scene.session()) {
                Future<List<RecordResult>> first = one.start(open ->
                        open.claimAll(keys.stream().map(Session::request).toList()));
                List<RecordResult> second = other.claimAll(reversed);
                for (int i = 0; i < keys.size(); i++) {
                    boolean both = Session.get(first).get(i) instanceof RecordResult.Written
                            && second.get(keys.size() - 1 - i) instanceof RecordResult.Written;
                    assertThat(both).isFalse();
                }
            }
        }
    }

    /** As with a rival that ended between the statement's read and its lock: what was read is too old. */
    @Test
    @DisplayName("S9 PostgreSQL: a record that appears while the statement runs is seen by asking again")
    void appearsMeanwhile() throws SQLException {
        startPatient();
        DedupKey committed = scene.messages.key();
        DedupKey undone = scene.messages.key();
        DedupKey updated = Messages.released(scene.store, scene.messages.key()).key();
        List<DedupKey> keys = List.of(committed, undone, updated, scene.messages.key());
        try (Session asking = scene.session();
                Rival rival = new Rival(scene.database);
                Rival second = new Rival(scene.database)) {
            rival.insertDone(committed);
            rival.updateDone(updated);
            second.insertDone(undone);
            Future<List<RecordResult>> answers = asking.start(
                    open -> open.claimAll(keys.stream().map(Session::request).toList()));
            scene.database.awaitBlocked();
            rival.commit();
            second.rollback();
            assertThat(Session.get(answers).stream().map(Object::getClass).toList())
                    .isEqualTo(List.of(
                            RecordResult.Done.class,
                            RecordResult.Written.class,
                            RecordResult.Done.class,
                            RecordResult.Written.class));
            assertGoesOn(asking);
        }
    }

    /** Claims a record alone, which waits for a row. */
    private Future<List<RecordResult>> blocked(Session asking, DedupKey key) {
        Future<List<RecordResult>> answer = asking.start(open -> open.claimAll(List.of(Session.request(key))));
        scene.database.awaitBlocked();
        return answer;
    }

    @Test
    @DisplayName("S9 PostgreSQL: so is one that appears while a single record is inserted; who undoes it is waited for")
    void appearsMeanwhileForOne() throws SQLException {
        startPatient();
        DedupKey undone = scene.messages.key();
        DedupKey committed = scene.messages.key();
        try (Session asking = scene.session();
                Rival rival = new Rival(scene.database);
                Rival second = new Rival(scene.database)) {
            rival.insertDone(undone);
            second.insertDone(committed);
            Future<List<RecordResult>> first = blocked(asking, undone);
            rival.rollback();
            assertThat(Session.get(first)).hasOnlyElementsOfType(RecordResult.Written.class);
            Future<List<RecordResult>> then = blocked(asking, committed);
            second.commit();
            assertThat(Session.get(then)).hasOnlyElementsOfType(RecordResult.Done.class);
            assertGoesOn(asking);
        }
    }

    @Test
    @DisplayName(
            "PostgreSQL: a single record waits for a completion that isn't committed, as long as its transaction may last")
    void completedMeanwhileForOne() throws SQLException {
        start(JdbcDialect.POSTGRESQL);
        DedupKey undone = acquire(scene.store, scene.messages.key()).key();
        DedupKey committed = acquire(scene.store, scene.messages.key()).key();
        DedupKey stuck = acquire(scene.store, scene.messages.key()).key();
        try (Session asking = scene.session();
                Rival rival = new Rival(scene.database);
                Rival second = new Rival(scene.database)) {
            rival.updateDone(undone);
            second.updateDone(committed);
            Future<List<RecordResult>> first = blocked(asking, undone);
            rival.rollback();
            assertThat(Session.get(first)).hasOnlyElementsOfType(RecordResult.InFlight.class);
            assertThat(asking.claim(scene.messages.key()))
                    .isInstanceOf(RecordResult.Written.class); // now it expects new ones
            Future<List<RecordResult>> then = blocked(asking, committed);
            second.commit();
            assertThat(Session.get(then)).hasOnlyElementsOfType(RecordResult.Done.class);
            assertGoesOn(asking);
        }
        try (Session before = scene.session()) {
            assertThat(before.claim(scene.messages.key())).isInstanceOf(RecordResult.Written.class);
        }
        try (Session asking = new Session(scene.transactions, Duration.ofSeconds(1));
                Rival rival = new Rival(scene.database)) {
            rival.updateDone(stuck);
            assertThatThrownBy(() -> asking.claim(stuck)).isInstanceOf(DedupStoreException.class);
        }
    }

    @Test
    @DisplayName("PostgreSQL: a batch doesn't wait for a completion that isn't committed")
    void completedMeanwhileInBatch() throws SQLException {
        startPatient();
        DedupKey open = acquire(scene.store, scene.messages.key()).key();
        try (Session asking = scene.session();
                Rival rival = new Rival(scene.database)) {
            rival.updateDone(open);
            Future<List<RecordResult>> answers = asking.start(
                    records -> records.claimAll(List.of(Session.request(open), Session.request(scene.messages.key()))));
            assertThat(Session.get(answers).stream().map(Object::getClass).toList())
                    .isEqualTo(List.of(RecordResult.InFlight.class, RecordResult.Written.class));
            assertGoesOn(asking);
        }
    }

    @OnServers
    @DisplayName("a completion waits for a row that a heartbeat has for a moment")
    void completionWaits(JdbcDialect dialect) throws SQLException {
        if (dialect == JdbcDialect.POSTGRESQL) {
            startPatient();
        } else {
            start(dialect);
        }
        ClaimRequest held = acquire(scene.store, scene.messages.key());
        try (Session session = scene.session();
                Rival heartbeat = Rival.locking(scene.database, held.key())) {
            Future<List<WriteResult>> answers =
                    session.start(open -> open.completeAll(List.of(Messages.complete(held))));
            if (dialect == JdbcDialect.POSTGRESQL) { // elsewhere it would be given up while we look
                scene.database.awaitBlocked();
            }
            heartbeat.rollback();
            assertThat(Session.get(answers)).containsOnly(WriteResult.applied());
            assertGoesOn(session);
        }
    }

    @Test
    @DisplayName("PostgreSQL: nothing changes for how long the handler's own statements wait")
    void lockTimeout() {
        start(JdbcDialect.POSTGRESQL);
        ClaimRequest held = acquire(scene.store, scene.messages.key());
        try (Session session = scene.session()) {
            session.run(() -> scene.business.execute("SET lock_timeout = '77s'"));
            session.claim(scene.messages.key());
            session.claimAll(List.of(scene.messages.key(), scene.messages.key()));
            session.completeAll(List.of(Messages.complete(held)));
            session.run(() -> assertThat(scene.business.queryForObject("SHOW lock_timeout", String.class))
                    .isEqualTo("77s"));
        }
    }

    @OnEachDatabase
    @DisplayName("S3 a deadlock undoes the transaction: it fails, says why, and cannot be committed any more")
    void deadlock(JdbcDialect dialect) {
        start(dialect);
        ClaimRequest one = acquire(scene.store, scene.messages.key());
        ClaimRequest two = acquire(scene.store, scene.messages.key());
        DedupKey key = scene.messages.key();
        try (Session first = scene.session();
                Session second = scene.session()) {
            for (Session session : List.of(first, second)) {
                session.run(() -> {
                    if (scene.database.isH2()) {
                        scene.business.execute("SET LOCK_TIMEOUT 20000");
                    }
                    if (dialect == JdbcDialect.MYSQL) {
                        scene.business.execute("SET SESSION innodb_lock_wait_timeout = 20");
                    }
                });
            }
            first.claim(key);
            first.completeAll(List.of(Messages.complete(one)));
            second.completeAll(List.of(Messages.complete(two)));
            Future<List<WriteResult>> crossing = first.start(open -> open.completeAll(List.of(Messages.complete(two))));
            int failed = 0;
            try {
                second.completeAll(List.of(Messages.complete(one)));
            } catch (DedupStoreException e) {
                failed++;
                assertUndone(second, e);
            }
            if (failed == 1) {
                second.rollback();
            }
            try {
                assertThat(Session.get(crossing)).containsOnly(WriteResult.applied());
                assertThat(first.commit()).isInstanceOf(CommitResult.Committed.class);
            } catch (DedupStoreException e) {
                failed++;
                assertUndone(first, e);
                assertThat(first.commit()).isInstanceOf(CommitResult.RolledBack.class);
                assertThat(scene.store.find(key)).isEmpty();
            }
            assertThat(failed).isEqualTo(1);
        }
    }

    private static void assertUndone(Session session, DedupStoreException e) {
        assertThat(session.isUndoneByOthers(e)).as(e.toString()).isTrue();
        assertThat(e.getMessage()).contains("complete on table dedup_record failed");
    }

    @Test
    @DisplayName("PostgreSQL: more records than the server has room for locks are refused, and its room is known")
    void tooMany() {
        try (PostgresServer server = PostgresServers.builder()
                .setting("max_locks_per_transaction", "10")
                .setting("max_connections", "10")
                .start()) {
            TestDatabase database = TestDatabase.of(JdbcDialect.POSTGRESQL, server.newDatabase());
            HikariDataSource pool = database.pool(config -> config.setMaximumPoolSize(3));
            JdbcDedupStore store = database.closing(database.builder(pool).build());
            JdbcTransactions transactions = store.transactions(new DataSourceTransactionManager(pool));
            Messages messages = new Messages();
            List<DedupKey> keys =
                    IntStream.range(0, 8_000).mapToObj(i -> messages.key()).toList();

            assertThat(transactions.concurrentRecords()).isEqualTo(100);
            try (Session session = new Session(transactions)) {
                assertThatThrownBy(() -> session.claimAll(keys))
                        .isInstanceOf(TooManyRecordsException.class)
                        .hasMessageContaining("max_locks_per_transaction");
                session.rollback();
            }
            try (Session session = new Session(transactions)) {
                assertThat(session.claimAll(keys.subList(0, 50))).hasOnlyElementsOfType(RecordResult.Written.class);
                assertThat(session.commit()).isInstanceOf(CommitResult.Committed.class);
            }
            database.close();
        }
    }
}
