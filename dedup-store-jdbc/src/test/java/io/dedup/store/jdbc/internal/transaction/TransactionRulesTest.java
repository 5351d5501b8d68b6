package io.dedup.store.jdbc.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.DedupKey;
import io.dedup.DedupStoreException;
import io.dedup.logged.OwnLines;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.jdbc.JdbcDialect;
import io.dedup.store.jdbc.JdbcTransactions;
import io.dedup.store.jdbc.support.OnEachDatabase;
import io.dedup.store.jdbc.support.Scene;
import io.dedup.store.jdbc.support.Session;
import io.dedup.store.jdbc.support.TestDatabase;
import io.dedup.store.memory.InMemoryDedupStore;
import io.dedup.store.transaction.CommitResult;
import io.dedup.store.transaction.RecordResult;
import io.dedup.store.transaction.RecordTransaction;
import io.dedup.testservers.sql.MariaDbServer;
import io.dedup.testservers.sql.MariaDbServers;
import io.dedup.testservers.sql.SqlDatabase;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.SimpleTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What is refused, at the start or within a handler, and what a transaction is like. */
class TransactionRulesTest {
    private Scene scene;

    private void start(JdbcDialect dialect) {
        scene = new Scene(dialect);
    }

    @AfterEach
    void stop() {
        Session.assertNothingBound();
        if (scene != null) {
            assertThat(scene.pool.getHikariPoolMXBean().getActiveConnections()).isZero();
            scene.close();
        }
    }

    private RecordTransaction begin() {
        return scene.transactions.beginWithRecords(Session.TIMEOUT);
    }

    private RecordResult claim(RecordTransaction transaction, DedupKey key) {
        return transaction.claimAll(List.of(Session.request(key))).get(0);
    }

    @Test
    @DisplayName("K11 a transaction manager of another DataSource is refused at the start, and leaves nothing behind")
    void otherDataSource() {
        start(JdbcDialect.H2);
        HikariDataSource other = scene.database.pool();
        for (PlatformTransactionManager manager : List.of(
                new DataSourceTransactionManager(other),
                new DataSourceTransactionManager(new LazyConnectionDataSourceProxy(other)))) {
            assertThatThrownBy(() -> scene.store.transactions(manager))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("uses another DataSource than table dedup_record");
        }
        assertThat(other.getHikariPoolMXBean().getActiveConnections()).isZero();
    }

    @Test
    @DisplayName("proxies of the same DataSource are fine, on either side, and so is JdbcTransactionManager")
    void proxies() {
        start(JdbcDialect.H2);
        for (DataSource ofManager : List.of(
                scene.pool,
                new LazyConnectionDataSourceProxy(scene.pool),
                new TransactionAwareDataSourceProxy(scene.pool),
                new DelegatingDataSource(scene.pool),
                new LazyConnectionDataSourceProxy(new DelegatingDataSource(scene.pool)))) {
            for (DataSource ofStore : List.of(scene.pool, new DelegatingDataSource(scene.pool))) {
                JdbcDedupStore store = scene.database.builder(ofStore).build();
                JdbcTransactions transactions = store.transactions(new JdbcTransactionManager(ofManager));
                DedupKey key = scene.messages.key();

                RecordTransaction undone = transactions.beginWithRecords(Session.TIMEOUT);
                assertThat(claim(undone, key)).isInstanceOf(RecordResult.Written.class);
                undone.rollback();
                assertThat(store.find(key)).isEmpty();

                RecordTransaction done = transactions.beginWithRecords(Session.TIMEOUT);
                assertThat(claim(done, key)).isInstanceOf(RecordResult.Written.class);
                assertThat(done.commit()).isInstanceOf(CommitResult.Committed.class);
                assertThat(store.find(key)).isPresent();
                assertThat(transactions.holdsClaimsOf(scene.store)).isTrue();
                store.close();
            }
        }
    }

    @Test
    @DisplayName("the claims of the same table are known; those of another table, database or kind of store aren't")
    void holdsClaims() {
        start(JdbcDialect.H2);
        JdbcDedupStore same = scene.database.builder(scene.pool).build();
        JdbcDedupStore otherTable =
                scene.database.builder(scene.pool).table("other").build();
        JdbcDedupStore otherPool = scene.database.builder().build();
        assertThat(scene.transactions.holdsClaimsOf(scene.store)).isTrue();
        assertThat(scene.transactions.holdsClaimsOf(same)).isTrue();
        assertThat(scene.transactions.holdsClaimsOf(otherTable)).isFalse();
        assertThat(scene.transactions.holdsClaimsOf(otherPool)).isFalse();
        assertThat(scene.transactions.holdsClaimsOf(new InMemoryDedupStore())).isFalse();
        assertThat(scene.transactions.name()).isEqualTo("jdbc");
        assertThat(scene.transactions.concurrentRecords()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    @DisplayName("K11 a thread that has a transaction is refused, be it one of ours; that transaction goes on")
    void activeTransaction() {
        start(JdbcDialect.H2);
        new TransactionTemplate(scene.manager).executeWithoutResult(status -> {
            scene.effect("goes on");
            assertThatThrownBy(this::begin)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("is already in a transaction");
        });
        assertThat(scene.effects()).isEqualTo(1);

        RecordTransaction transaction = begin();
        assertThatThrownBy(this::begin).isInstanceOf(IllegalStateException.class);
        transaction.rollback();
    }

    @Test
    @DisplayName("within a scope without a transaction one is opened, and the scope is as before afterwards")
    void supports() {
        start(JdbcDialect.H2);
        TransactionTemplate scope = new TransactionTemplate(scene.manager);
        scope.setPropagationBehavior(TransactionDefinition.PROPAGATION_SUPPORTS);
        scope.executeWithoutResult(status -> {
            scene.business.queryForList("SELECT * FROM effect"); // binds a connection to the scope
            RecordTransaction transaction = begin();
            claim(transaction, scene.messages.key());
            assertThat(transaction.commit()).isInstanceOf(CommitResult.Committed.class);
            RecordTransaction second = begin();
            second.rollback();
            assertThat(TransactionSynchronizationManager.isSynchronizationActive())
                    .isTrue();
            assertThat(TransactionSynchronizationManager.hasResource(scene.pool))
                    .isTrue();
        });
        assertThat(scene.records()).isEqualTo(1);
    }

    @Test
    @DisplayName("a manager without synchronization, and a timeout that isn't positive, are refused")
    void arguments() {
        start(JdbcDialect.H2);
        DataSourceTransactionManager silent = new DataSourceTransactionManager(scene.pool);
        silent.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
        assertThatThrownBy(() -> scene.store.transactions(silent))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("transactionSynchronization");
        for (Duration timeout : List.of(Duration.ZERO, Duration.ofSeconds(-1))) {
            assertThatThrownBy(() -> scene.transactions.begin(timeout)).isInstanceOf(IllegalArgumentException.class);
        }
        scene.transactions.begin(Duration.ofSeconds(Long.MAX_VALUE)).rollback();
    }

    @OnEachDatabase
    @DisplayName("the timeout counts in seconds, rounded up, for what runs in the transaction")
    void timeout(JdbcDialect dialect) {
        start(dialect);
        RecordTransaction transaction = scene.transactions.begin(Duration.ofMillis(41_001));
        try {
            assertThat(((org.springframework.jdbc.datasource.ConnectionHolder)
                                    TransactionSynchronizationManager.getResource(scene.pool))
                            .getTimeToLiveInSeconds())
                    .isBetween(30, 42);
        } finally {
            transaction.rollback();
        }
    }

    @OnEachDatabase
    @DisplayName("what has lasted longer than it may isn't committed: its record could be over already")
    void tooLate(JdbcDialect dialect) {
        start(dialect);
        RecordTransaction transaction = scene.transactions.begin(Duration.ofSeconds(1));
        assertThat(claim(transaction, scene.messages.key())).isInstanceOf(RecordResult.Written.class);
        scene.effect("late");
        long began = System.nanoTime();
        await().until(() -> System.nanoTime() - began > 1_000_000_000);
        assertThat(transaction.commit())
                .isInstanceOfSatisfying(
                        CommitResult.RolledBack.class,
                        end -> assertThat(end.cause()).hasMessageContaining("maxProcessingTime"));
        assertThat(scene.effects()).isZero();
        assertThat(scene.records()).isZero();
    }

    @Test
    @DisplayName("K11 a manager of several transactions is refused: the first that commits would count as the record's")
    void chained() {
        start(JdbcDialect.H2);
        PlatformTransactionManager second = new DataSourceTransactionManager(scene.database.pool());
        assertThatThrownBy(() -> scene.store.transactions(new Chained(scene.manager, second)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("opens several transactions");
    }

    /** As Spring Data's {@code ChainedTransactionManager} does it: ends the last one first. */
    private record Chained(PlatformTransactionManager first, PlatformTransactionManager last)
            implements PlatformTransactionManager {
        private static final class Both extends SimpleTransactionStatus {
            private final TransactionStatus first;
            private final TransactionStatus last;

            Both(TransactionStatus first, TransactionStatus last) {
                this.first = first;
                this.last = last;
            }
        }

        @Override
        public TransactionStatus getTransaction(@Nullable TransactionDefinition definition) {
            return new Both(first.getTransaction(definition), last.getTransaction(definition));
        }

        @Override
        public void commit(TransactionStatus status) {
            Both both = (Both) status;
            last.commit(both.last);
            first.commit(both.first);
        }

        @Override
        public void rollback(TransactionStatus status) {
            Both both = (Both) status;
            last.rollback(both.last);
            first.rollback(both.first);
            both.setCompleted();
        }
    }

    @Test
    @DisplayName("K11 a handler that uses another DataSource is warned of, once for each")
    void otherConnections() {
        start(JdbcDialect.H2);
        JdbcTemplate reading = new JdbcTemplate(scene.database.pool());
        OwnLines lines = OwnLines.of(JdbcTransactions.class);
        try (lines) {
            for (int i = 0; i < 3; i++) {
                RecordTransaction transaction = begin();
                claim(transaction, scene.messages.key());
                scene.effect("here");
                if (i > 0) {
                    assertThat(lines.events()).hasSize(i - 1);
                    reading.queryForList("SELECT * FROM effect");
                }
                assertThat(transaction.commit()).isInstanceOf(CommitResult.Committed.class);
            }
        }
        assertThat(lines.events())
                .singleElement()
                .satisfies(line -> assertThat(line.getFormattedMessage())
                        .contains("another DataSource than that of table dedup_record")
                        .contains(String.valueOf(reading.getDataSource())));
    }

    @OnEachDatabase
    @DisplayName("K11 what suspends the transaction is refused, and it can be rolled back, or go on")
    void suspension(JdbcDialect dialect) {
        start(dialect);
        DataSourceTransactionManager otherManager = new DataSourceTransactionManager(scene.database.pool());
        TransactionTemplate requiresNew = new TransactionTemplate(scene.manager);
        requiresNew.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        TransactionTemplate notSupported = new TransactionTemplate(scene.manager);
        notSupported.setPropagationBehavior(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
        for (TransactionTemplate escape : List.of(requiresNew, notSupported, new TransactionTemplate(otherManager))) {
            for (boolean commit : new boolean[] {false, true}) {
                DedupKey key = scene.messages.key();
                RecordTransaction transaction = begin();
                claim(transaction, key);
                int[] suspended = new int[1];
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void suspend() {
                        suspended[0]++;
                    }

                    @Override
                    public int getOrder() {
                        return 0;
                    }
                });
                scene.effect("a");
                assertThatThrownBy(() -> escape.executeWithoutResult(status -> scene.effect("escaped")))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("must not suspend its transaction");
                assertThat(suspended[0]).isZero();
                scene.effect("b");
                if (commit) {
                    assertThat(transaction.commit()).isInstanceOf(CommitResult.Committed.class);
                } else {
                    transaction.rollback();
                }
                assertThat(scene.store.find(key).isPresent()).isEqualTo(commit);
            }
        }
        assertThat(scene.effects()).isEqualTo(6);
        assertThat(scene.database.count("SELECT count(*) FROM effect WHERE id = 'escaped'"))
                .isZero();
    }

    @Test
    @DisplayName("suspension may be allowed; what was done meanwhile stays when the transaction is rolled back")
    void allowedSuspension() {
        start(JdbcDialect.POSTGRESQL);
        TransactionTemplate requiresNew = new TransactionTemplate(scene.manager);
        requiresNew.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        RecordTransaction transaction = scene.transactions.allowSuspension(true).begin(Session.TIMEOUT);
        DedupKey key = scene.messages.key();
        claim(transaction, key);
        requiresNew.executeWithoutResult(status -> scene.effect("escaped"));
        assertThat(claim(transaction, scene.messages.key())).isInstanceOf(RecordResult.Written.class);
        transaction.rollback();
        assertThat(scene.effects()).isEqualTo(1);
        assertThat(scene.records()).isZero();
    }

    @OnEachDatabase
    @DisplayName(
            "transactions run at READ COMMITTED, whatever the pool's connections are like; these are given back so")
    void isolation(JdbcDialect dialect) throws Exception {
        start(dialect);
        for (String level : List.of("TRANSACTION_REPEATABLE_READ", "TRANSACTION_READ_COMMITTED")) {
            HikariDataSource pool = scene.database.pool(config -> {
                config.setTransactionIsolation(level);
                config.setMaximumPoolSize(1);
            });
            JdbcDedupStore store = scene.database.builder(pool).build();
            RecordTransaction transaction =
                    store.transactions(new DataSourceTransactionManager(pool)).begin(Session.TIMEOUT);
            Connection connection = DataSourceUtils.getConnection(pool);
            assertThat(connection.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_READ_COMMITTED);
            DataSourceUtils.releaseConnection(connection, pool);
            transaction.rollback();
            try (Connection after = pool.getConnection()) {
                assertThat(after.getTransactionIsolation())
                        .isEqualTo(Connection.class.getField(level).getInt(null));
            }
            store.close();
        }
    }

    @Test
    @DisplayName("a manager that sets another isolation level all the same is refused")
    void isolationIgnored() {
        start(JdbcDialect.POSTGRESQL);
        DataSourceTransactionManager stubborn = new DataSourceTransactionManager(scene.pool) {
            @Override
            protected void doBegin(Object transaction, TransactionDefinition definition) {
                super.doBegin(transaction, definition);
                scene.business.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
            }
        };
        assertThatThrownBy(() -> scene.store.transactions(stubborn))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("READ COMMITTED");
    }

    @Test
    @DisplayName("S11 MariaDB with innodb_rollback_on_timeout is refused: who is in flight would undo who asks")
    void rollbackOnTimeout() {
        try (MariaDbServer server = MariaDbServers.builder()
                .setting("innodb-rollback-on-timeout", "ON")
                .start()) {
            TestDatabase database = TestDatabase.of(JdbcDialect.MARIADB, server.newDatabase());
            HikariDataSource pool = database.pool();
            JdbcDedupStore store = database.closing(database.builder(pool).build());
            assertThatThrownBy(() -> store.transactions(new DataSourceTransactionManager(pool)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("innodb_rollback_on_timeout");
            assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
            database.close();
        }
    }

    @Test
    @DisplayName(
            "S11 a server that writes statements to its binary log cannot write at READ COMMITTED: the start says so")
    void statementsInTheBinaryLog() {
        try (MariaDbServer server = MariaDbServers.builder()
                .setting("log-bin", "binlog")
                .setting("server-id", "1")
                .setting("binlog-format", "STATEMENT")
                .start()) {
            TestDatabase database = TestDatabase.of(JdbcDialect.MARIADB, server.newDatabase());
            HikariDataSource pool = database.pool();
            JdbcDedupStore store = database.closing(database.builder(pool).build());
            assertThat(store.warnings())
                    .anySatisfy(warning -> assertThat(warning).contains("binlog_format = STATEMENT"));
            assertThatThrownBy(() -> store.purgeExpired(10)).hasMessageContaining("BINLOG_FORMAT = STATEMENT");
            assertThatThrownBy(() -> store.transactions(new DataSourceTransactionManager(pool)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("binlog_format = STATEMENT");
            database.close();
        }
    }

    @Test
    @DisplayName(
            "a driver that repeats transactions, and shows nobody what they were answered, is refused at the start")
    void transactionReplay() {
        SqlDatabase server = MariaDbServers.newDatabase();
        TestDatabase database = TestDatabase.of(JdbcDialect.MARIADB, server);
        for (String value : List.of("true", "false")) {
            HikariDataSource pool =
                    database.pool(config -> config.setJdbcUrl(server.jdbcUrl() + "?transactionReplay=" + value));
            JdbcDedupStore store = database.closing(database.builder(pool).build());
            if (value.equals("true")) {
                assertThatThrownBy(() -> store.transactions(new DataSourceTransactionManager(pool)))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("transactionReplay");
            } else {
                assertThat(store.transactions(new DataSourceTransactionManager(pool)))
                        .isNotNull();
            }
            assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
        }
        database.close();
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(names = {"H2", "GENERIC"})
    @DisplayName("READ UNCOMMITTED would take somebody's record for done that is rolled back later")
    void readUncommitted(JdbcDialect dialect) {
        start(dialect);
        HikariDataSource pool =
                scene.database.pool(config -> config.setTransactionIsolation("TRANSACTION_READ_UNCOMMITTED"));
        assertThatThrownBy(() -> scene.database.builder(pool).build())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("READ UNCOMMITTED");
        JdbcTransactions transactions = scene.store.transactions(new ReadingUncommitted(scene.pool));
        DedupKey key = scene.messages.key();
        try (Session first = new Session(transactions);
                Session second = new Session(transactions)) {
            assertThat(first.claim(key)).isInstanceOf(RecordResult.Written.class);
            assertThat(second.claim(key)).isInstanceOf(RecordResult.InFlight.class);
        }
    }

    /** Where no level is asked for. */
    private static final class ReadingUncommitted extends DataSourceTransactionManager {
        private static final long serialVersionUID = 1L;

        ReadingUncommitted(DataSource dataSource) {
            super(dataSource);
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {
            DefaultTransactionDefinition other = new DefaultTransactionDefinition(definition);
            if (other.getIsolationLevel() == TransactionDefinition.ISOLATION_DEFAULT) {
                other.setIsolationLevel(TransactionDefinition.ISOLATION_READ_UNCOMMITTED);
            }
            super.doBegin(transaction, other);
        }
    }

    @OnEachDatabase
    @DisplayName("a table that is gone fails the claim, names the table, and cannot be committed over")
    void failingClaim(JdbcDialect dialect) {
        start(dialect);
        RecordTransaction transaction = begin();
        scene.effect("undone");
        scene.database.execute("ALTER TABLE dedup_record RENAME TO elsewhere");
        assertThatThrownBy(() -> claim(transaction, scene.messages.key()))
                .isInstanceOf(DedupStoreException.class)
                .hasMessageContaining("claim on table dedup_record failed")
                .hasMessageContaining("missing")
                .hasMessageNotContaining("order-")
                .hasCauseInstanceOf(java.sql.SQLException.class);
        assertThat(transaction.commit()).isInstanceOf(CommitResult.RolledBack.class);
        assertThat(scene.effects()).isZero();
    }

    @Test
    @DisplayName("no connection to be had: begin fails, and nothing is open")
    void exhausted() {
        start(JdbcDialect.H2);
        HikariDataSource small = scene.database.pool(config -> {
            config.setMaximumPoolSize(1);
            config.setConnectionTimeout(300);
        });
        JdbcTransactions transactions =
                scene.database.builder(small).build().transactions(new DataSourceTransactionManager(small));
        try (Session holder = new Session(transactions)) {
            assertThatThrownBy(() -> transactions.begin(Session.TIMEOUT))
                    .isInstanceOf(DedupStoreException.class)
                    .hasMessageContaining("Cannot open a transaction");
        }
        transactions.begin(Session.TIMEOUT).rollback();
    }
}
