package io.dedup.store.jdbc.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.DedupKey;
import io.dedup.Fingerprint;
import io.dedup.store.ClaimRequest;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.jdbc.JdbcDialect;
import io.dedup.store.jdbc.JdbcTransactions;
import io.dedup.store.jdbc.support.Messages;
import io.dedup.store.jdbc.support.OnEachDatabase;
import io.dedup.store.jdbc.support.Rival;
import io.dedup.store.jdbc.support.Session;
import io.dedup.store.jdbc.support.TestDatabase;
import io.dedup.store.transaction.CommitResult;
import io.dedup.store.transaction.RecordRequest;
import io.dedup.store.transaction.RecordResult;
import io.dedup.store.transaction.RecordTransaction;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A database that undoes a whole transaction, and silently begins another one, which what comes next belongs to: a commit
 * would keep the second half of the effect.
 */
class UndoneTransactionTest {
    /** The handler shall meet a deadlock, not give up waiting. */
    private static final String PATIENT = "SET SESSION innodb_lock_wait_timeout = 20";

    private final Messages messages = new Messages();
    private TestDatabase database;
    private JdbcDedupStore store;
    private JdbcTransactions transactions;
    private JdbcTemplate business;
    private DedupKey key;

    private void start(JdbcDialect dialect) {
        database = TestDatabase.open(dialect);
        HikariDataSource pool = database.pool();
        store = database.closing(database.builder(pool).build());
        transactions = store.transactions(new DataSourceTransactionManager(pool));
        business = new JdbcTemplate(pool);
        database.execute("CREATE TABLE effect (id varchar(100) NOT NULL)");
        key = messages.key();
    }

    @AfterEach
    void stop() {
        Session.assertNothingBound();
        database.close();
    }

    private RecordTransaction handled() {
        RecordTransaction transaction = transactions.beginWithRecords(Session.TIMEOUT);
        assertThat(transaction.claimAll(List.of(Session.request(key))).get(0)).isInstanceOf(RecordResult.Written.class);
        business.update("INSERT INTO effect VALUES ('a')");
        return transaction;
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(names = {"MARIADB", "MYSQL", "H2"})
    @DisplayName("a record that took another's place is gone when that one is back")
    void undoneTakeover(JdbcDialect dialect) {
        start(dialect);
        Messages.released(store, key);
        RecordTransaction transaction = handled();
        business.execute("ROLLBACK"); // as a deadlock does
        business.update("INSERT INTO effect VALUES ('b')");
        assertThat(transaction.commit()).isInstanceOf(CommitResult.RolledBack.class);
        assertThat(database.count("SELECT count(*) FROM effect")).isZero();
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(names = {"MARIADB", "MYSQL", "H2"})
    @DisplayName("a record is gone when it is another's: a copy was faster")
    void undoneAndOvertaken(JdbcDialect dialect) {
        start(dialect);
        RecordTransaction transaction = handled();
        business.execute("ROLLBACK");
        business.update("INSERT INTO effect VALUES ('b')");
        try (Session rival = new Session(transactions)) {
            assertThat(rival.claim(key)).isInstanceOf(RecordResult.Written.class);
            assertThat(rival.commit()).isInstanceOf(CommitResult.Committed.class);
        }
        assertThat(transaction.commit()).isInstanceOf(CommitResult.RolledBack.class);
        assertThat(database.count("SELECT count(*) FROM effect")).isZero();
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(names = {"MARIADB", "MYSQL", "H2"})
    @DisplayName("a message of another payload, which a policy may let run, has no record that could be gone")
    void undoneConflict(JdbcDialect dialect) {
        start(dialect);
        try (Session first = new Session(transactions)) {
            assertThat(first.call(open -> open.claimAll(List.of(request(1)))).get(0))
                    .isInstanceOf(RecordResult.Written.class);
            assertThat(first.commit()).isInstanceOf(CommitResult.Committed.class);
        }
        RecordTransaction transaction = transactions.beginWithRecords(Session.TIMEOUT);
        assertThat(transaction.claimAll(List.of(request(2))).get(0)).isInstanceOf(RecordResult.Conflict.class);
        business.update("INSERT INTO effect VALUES ('a')");
        business.execute("ROLLBACK");
        business.update("INSERT INTO effect VALUES ('b')");
        assertThat(transaction.commit()).isInstanceOf(CommitResult.RolledBack.class);
        assertThat(database.count("SELECT count(*) FROM effect")).isZero();
    }

    private RecordRequest request(int payload) {
        return new RecordRequest(key, Messages.WINDOW, Fingerprint.ofPayload(new byte[] {(byte) payload}));
    }

    @OnEachDatabase
    @DisplayName("by a callback before its end, whose failure Spring only logs: the check comes after it")
    void undoneByACallback(JdbcDialect dialect) {
        start(dialect);
        RecordTransaction transaction = handled();
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void beforeCompletion() {
                business.execute("ROLLBACK");
                if (!database.isPostgres()) {
                    business.update("INSERT INTO effect VALUES ('b')");
                }
                throw new IllegalStateException("a deadlock");
            }
        });
        assertThat(transaction.commit()).isInstanceOf(CommitResult.RolledBack.class);
        assertThat(database.count("SELECT count(*) FROM effect")).isZero();
        assertThat(handled().commit()).isInstanceOf(CommitResult.Committed.class);
    }

    @OnEachDatabase
    @DisplayName("by the handler, which must not: a commit of nothing isn't taken for one of the record")
    void rolledBackByTheHandler(JdbcDialect dialect) {
        start(dialect);
        RecordTransaction transaction = handled();
        business.execute("ROLLBACK");
        assertThat(transaction.commit()).isInstanceOf(CommitResult.RolledBack.class);
        assertThat(database.count("SELECT count(*) FROM effect")).isZero();
    }

    @OnEachDatabase
    @DisplayName("S3 a handler that swallows its deadlock: what is left isn't committed")
    void swallowedDeadlock(JdbcDialect dialect) throws Exception {
        start(dialect);
        try (Rival rival = rival()) {
            RecordTransaction transaction = handled();
            swallowDeadlock(transaction, rival);
            assertUndone(transaction);
        }
        assertThat(database.count("SELECT count(*) FROM dedup_record")).isZero();
    }

    @OnEachDatabase
    @DisplayName("S3 the same with a claim by a lease: it isn't completed")
    void swallowedDeadlockOfALease(JdbcDialect dialect) throws Exception {
        start(dialect);
        ClaimRequest claim = Messages.acquire(store, key);
        try (Rival rival = rival()) {
            RecordTransaction transaction = transactions.begin(Session.TIMEOUT);
            swallowDeadlock(transaction, rival);
            if (!database.isPostgres()) { // where a completion fails already
                assertThat(transaction.completeAll(List.of(Messages.complete(claim))))
                        .containsExactly(WriteResult.applied());
            }
            assertUndone(transaction);
        }
        assertThat(database.count("SELECT count(*) FROM dedup_record WHERE state = 4"))
                .isZero();
        assertThat(Messages.only(store.release(List.of(Messages.release(claim)))))
                .isEqualTo(WriteResult.applied());
    }

    /** Has a row that a handler will want, and does all for the handler to be the victim. */
    private Rival rival() throws SQLException {
        database.execute(
                "INSERT INTO effect VALUES ('x')", "CREATE TABLE other (id int)", "INSERT INTO other VALUES (1)");
        if (database.isMariaDb()) {
            database.execute("CREATE TABLE work (id int)");
        }
        Rival rival = new Rival(database); // the older one: H2's victim is the younger
        if (database.isMariaDb()) {
            rival.work();
            rival.execute(PATIENT);
        }
        if (database.isPostgres()) {
            rival.execute("SET deadlock_timeout = '20s'"); // so that the handler finds out first
        }
        if (database.isH2()) {
            rival.execute("SET LOCK_TIMEOUT 20000");
        }
        rival.execute("UPDATE effect SET id = 'y' WHERE id = 'x'");
        return rival;
    }

    /** The handler loses a deadlock, ignores it, and does the rest of its work. */
    private void swallowDeadlock(RecordTransaction transaction, Rival rival) throws Exception {
        if (database.isH2()) {
            business.execute("SET LOCK_TIMEOUT 20000");
        } else if (database.isMariaDb()) {
            business.execute(PATIENT);
        }
        business.update("UPDATE other SET id = 2");
        ExecutorService thread = Executors.newSingleThreadExecutor();
        Future<?> crossing = thread.submit(() -> {
            rival.execute("UPDATE other SET id = 3");
            return null;
        });
        database.awaitBlocked();
        assertThatExceptionOfType(DataAccessException.class)
                .isThrownBy(() -> business.update("UPDATE effect SET id = 'z' WHERE id = 'x'"))
                .matches(transaction::isUndoneByOthers);
        crossing.get();
        rival.rollback();
        thread.shutdown();
        if (!database.isPostgres()) { // where nothing works any more
            business.update("INSERT INTO effect VALUES ('second half')");
        }
    }

    private void assertUndone(RecordTransaction transaction) {
        assertThat(transaction.commit()).isInstanceOf(CommitResult.RolledBack.class);
        assertThat(database.count("SELECT count(*) FROM effect WHERE id <> 'x'"))
                .isZero();
    }
}
