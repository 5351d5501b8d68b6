package io.dedup.store.jdbc.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.DedupKey;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.jdbc.JdbcDialect;
import io.dedup.store.jdbc.JdbcTransactions;
import io.dedup.store.jdbc.support.Messages;
import io.dedup.store.jdbc.support.OnDrivers;
import io.dedup.store.jdbc.support.OnEachDatabase;
import io.dedup.store.jdbc.support.Session;
import io.dedup.store.jdbc.support.TestDatabase;
import io.dedup.store.transaction.CommitResult;
import io.dedup.store.transaction.RecordResult;
import io.dedup.store.transaction.RecordTransaction;
import io.dedup.testkit.faults.TcpProxy;
import io.dedup.testservers.sql.MariaDbServers;
import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlDatabase;
import java.net.URI;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What became of a commit, as the database knows it. */
class CommitTest {
    private final Messages messages = new Messages();
    private TestDatabase database;
    private TcpProxy proxy;
    private HikariDataSource pool;
    private JdbcDedupStore store;
    private DataSourceTransactionManager manager;
    private JdbcTransactions transactions;
    private JdbcTemplate business;
    private DedupKey key;

    private void start(JdbcDialect dialect) {
        database = TestDatabase.open(dialect);
        open(database.pool());
    }

    private void startBehindProxy(JdbcDialect dialect) {
        startBehindProxy(dialect, url -> url);
    }

    private void startBehindProxy(JdbcDialect dialect, UnaryOperator<String> driver) {
        SqlDatabase server =
                dialect == JdbcDialect.POSTGRESQL ? PostgresServers.newDatabase() : MariaDbServers.newDatabase();
        database = TestDatabase.of(dialect, server);
        URI address = URI.create(server.jdbcUrl().substring("jdbc:".length()));
        proxy = TcpProxy.to(address.getHost(), address.getPort());
        open(database.pool(config -> config.setJdbcUrl(driver.apply(server.jdbcUrlThrough(proxy.port())))));
    }

    private void open(HikariDataSource opened) {
        pool = opened;
        store = database.closing(database.builder(pool).build());
        manager = new DataSourceTransactionManager(pool);
        transactions = store.transactions(manager);
        business = new JdbcTemplate(pool);
        database.execute("CREATE TABLE effect (id varchar(100) NOT NULL)");
        key = messages.key();
    }

    @AfterEach
    void stop() {
        Session.assertNothingBound();
        if (proxy != null) {
            proxy.close();
        }
        database.close();
    }

    private RecordTransaction handled() {
        RecordTransaction transaction = transactions.beginWithRecords(Duration.ofMinutes(1));
        RecordResult claimed =
                transaction.claimAll(List.of(Session.request(key))).get(0);
        if (!(claimed instanceof RecordResult.Written)) {
            transaction.rollback();
            throw new AssertionError("not written, but " + claimed);
        }
        business.update("INSERT INTO effect VALUES ('a')");
        return transaction;
    }

    /** After a cut: the server keeps the session, and its locks, until it notices. */
    private RecordTransaction handledOnceFree() {
        AtomicReference<RecordTransaction> begun = new AtomicReference<>();
        await().pollInSameThread().untilAsserted(() -> begun.set(handled()));
        return begun.get();
    }

    private void assertDurable(boolean durable) {
        assertThat(database.count("SELECT count(*) FROM effect")).isEqualTo(durable ? 1 : 0);
        assertThat(database.count("SELECT count(*) FROM dedup_record")).isEqualTo(durable ? 1 : 0);
    }

    private static void register(TransactionSynchronization synchronization) {
        TransactionSynchronizationManager.registerSynchronization(synchronization);
    }

    @OnEachDatabase
    @DisplayName("an exception after the commit doesn't unmake it")
    void afterCommit(JdbcDialect dialect) {
        start(dialect);
        RecordTransaction transaction = handled();
        register(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                throw new IllegalStateException("from a callback");
            }
        });
        assertThat(transaction.commit()).isInstanceOf(CommitResult.Committed.class);
        assertDurable(true);
    }

    @OnEachDatabase
    @DisplayName("a callback after the commit may have a transaction of its own: there is nothing left to escape from")
    void ownTransactionAfterCommit(JdbcDialect dialect) {
        start(dialect);
        RecordTransaction transaction = handled();
        TransactionTemplate own = new TransactionTemplate(manager);
        own.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        register(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                own.executeWithoutResult(status -> business.update("INSERT INTO effect VALUES ('b')"));
            }
        });
        assertThat(transaction.commit()).isInstanceOf(CommitResult.Committed.class);
        assertThat(database.count("SELECT count(*) FROM effect")).isEqualTo(2);
    }

    @OnEachDatabase
    @DisplayName(
            "an exception before the commit rolls back, whatever it is; one of Spring's own would be committed by the"
                    + " connection's autocommit")
    void beforeCommit(JdbcDialect dialect) {
        start(dialect);
        for (RuntimeException failure : List.of(
                new IllegalStateException("from a callback"),
                new TransactionSystemException("the same"),
                new UnexpectedRollbackException("the same"))) {
            RecordTransaction transaction = handled();
            register(new TransactionSynchronization() {
                @Override
                public void beforeCommit(boolean readOnly) {
                    throw failure;
                }
            });
            assertThat(transaction.commit())
                    .isInstanceOfSatisfying(
                            CommitResult.RolledBack.class,
                            rolledBack -> assertThat(rolledBack.cause()).isSameAs(failure));
            assertDurable(false);
        }
    }

    @OnEachDatabase
    @DisplayName("what ran in the transaction marked it as rollback-only, and returned as if all were well")
    void rollbackOnly(JdbcDialect dialect) {
        start(dialect);
        RecordTransaction transaction = handled();
        new TransactionTemplate(manager).executeWithoutResult(status -> status.setRollbackOnly());
        assertThat(transaction.commit()).isInstanceOf(CommitResult.RolledBack.class);
        assertDurable(false);
    }

    @OnEachDatabase
    @DisplayName("a callback before the end marked it as rollback-only, too late for Spring, which commits then")
    void rollbackOnlyByACallback(JdbcDialect dialect) {
        start(dialect);
        Runnable part = () -> new TransactionTemplate(manager).executeWithoutResult(status -> {
            business.update("INSERT INTO effect VALUES ('part')");
            status.setRollbackOnly();
        });
        for (boolean completion : new boolean[] {false, true}) {
            RecordTransaction transaction = handledOnceFree(); // the one before was cut off
            register(new TransactionSynchronization() {
                @Override
                public void beforeCommit(boolean readOnly) {
                    if (!completion) {
                        part.run();
                    }
                }

                @Override
                public void beforeCompletion() {
                    if (completion) {
                        part.run();
                    }
                }
            });
            assertThat(transaction.commit()).isInstanceOf(CommitResult.RolledBack.class);
            assertDurable(false);
        }
    }

    @Test
    @DisplayName("PostgreSQL: a constraint that is checked at the commit, and a transaction that had failed before")
    void refusedByServer() {
        start(JdbcDialect.POSTGRESQL);
        database.execute(
                "CREATE TABLE parent (id int PRIMARY KEY)",
                "CREATE TABLE child (id int REFERENCES parent DEFERRABLE INITIALLY DEFERRED)");
        RecordTransaction deferred = handled();
        business.update("INSERT INTO child VALUES (1)");
        assertThat(deferred.commit()).isInstanceOf(CommitResult.RolledBack.class);
        assertDurable(false);

        RecordTransaction failed = handled();
        try {
            business.execute("SELECT 1 / 0");
        } catch (DataAccessException swallowed) {
            assertThat(swallowed).isNotNull();
        }
        assertThat(failed.commit()).isInstanceOf(CommitResult.RolledBack.class);
        assertDurable(false);
    }

    @OnDrivers
    @DisplayName("the answer to a commit got lost: it is unknown, though it is durable")
    void lostAnswer(JdbcDialect dialect) {
        startBehindProxy(dialect);
        RecordTransaction transaction = handled();
        proxy.loseReplyTo("COMMIT");
        assertThat(transaction.commit()).isInstanceOf(CommitResult.Unknown.class);
        assertThat(proxy.lostReplies()).isEqualTo(1);
        assertDurable(true);
        proxy.heal();
        assertThat(store.find(key)).isPresent();
        assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
    }

    @Test
    @DisplayName("the same with a driver that connects anew, and says so by the state of a transaction")
    void lostAnswerOfADriverThatGoesOn() {
        startBehindProxy(JdbcDialect.MARIADB, url -> url.replace("jdbc:mariadb:", "jdbc:mariadb:sequential:"));
        RecordTransaction transaction = handled();
        proxy.loseReplyTo("COMMIT");
        assertThat(transaction.commit()).isInstanceOf(CommitResult.Unknown.class);
        assertThat(proxy.lostReplies()).isEqualTo(1);
        assertDurable(true);
    }

    @OnDrivers
    @DisplayName(
            "a connection that was cut before: nothing is durable, and nobody says so; a rollback is silent. Where the"
                    + " server is asked before the commit, and not by the same statement, it is known that none was sent")
    void cut(JdbcDialect dialect) {
        startBehindProxy(dialect);
        RecordTransaction transaction = handled();
        proxy.cut();
        assertThat(transaction.commit())
                .isInstanceOf(
                        dialect == JdbcDialect.POSTGRESQL || dialect == JdbcDialect.MARIADB
                                ? CommitResult.Unknown.class
                                : CommitResult.RolledBack.class);
        RecordTransaction second = handledOnceFree();
        proxy.cut();
        second.rollback();
        await().untilAsserted(() -> assertDurable(false));
        assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
        assertThat(handledOnceFree().commit()).isInstanceOf(CommitResult.Committed.class);
    }

    @Test
    @DisplayName("failures of others are told from one's own: by the database's codes, not by Spring's classes")
    void undoneByOthers() {
        start(JdbcDialect.MARIADB);
        RecordTransaction transaction = transactions.beginWithRecords(Duration.ofMinutes(1));
        SQLException batch = new SQLException("batch");
        batch.setNextException(new SQLException("deadlock", "40001"));
        assertThat(transaction.isUndoneByOthers(null)).isFalse();
        assertThat(transaction.isUndoneByOthers(new IllegalStateException(batch)))
                .isTrue();
        assertThat(transaction.isUndoneByOthers(new SQLException("", "40P01"))).isTrue();
        assertThat(transaction.isUndoneByOthers(new SQLException("", "HY000", 1213)))
                .isTrue();
        assertThat(transaction.isUndoneByOthers(new SQLException("", "HY000", 1205)))
                .isFalse();
        assertThat(transaction.isUndoneByOthers(new SQLException("", "23505"))).isFalse();
        assertThat(transaction.isUndoneByOthers(
                        new org.springframework.dao.CannotAcquireLockException("", new SQLException("", "55P03"))))
                .isFalse();
        IllegalStateException circle = new IllegalStateException("circle");
        circle.initCause(new IllegalStateException(circle));
        assertThat(transaction.isUndoneByOthers(circle)).isFalse();
        transaction.rollback();
    }
}
