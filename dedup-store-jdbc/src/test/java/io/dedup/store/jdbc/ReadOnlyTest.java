package io.dedup.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.DedupStoreException;
import io.dedup.store.ClaimRequest;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.support.Messages;
import io.dedup.store.jdbc.support.OnDrivers;
import io.dedup.store.jdbc.support.OnEachDatabase;
import io.dedup.store.jdbc.support.OnServers;
import io.dedup.store.jdbc.support.Session;
import io.dedup.store.jdbc.support.TestDatabase;
import io.dedup.store.transaction.RecordTransaction;
import io.dedup.testservers.sql.MariaDbServer;
import io.dedup.testservers.sql.MariaDbServers;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A database that answers reads and takes no writes, as one does after a switch-over. */
class ReadOnlyTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final Messages messages = new Messages();
    private TestDatabase database;

    @AfterEach
    void stop() {
        database.close();
    }

    /** Lends connections that are read-only while it is told so, each time anew. */
    private static final class SwitchedOver extends DelegatingDataSource {
        final AtomicBoolean readOnly = new AtomicBoolean();
        private final boolean postgres;

        SwitchedOver(HikariDataSource pool, boolean postgres) {
            super(pool);
            this.postgres = postgres;
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            try (Statement statement = connection.createStatement()) {
                String mode = readOnly.get() ? "READ ONLY" : "READ WRITE";
                statement.execute(
                        (postgres ? "SET SESSION CHARACTERISTICS AS TRANSACTION " : "SET SESSION TRANSACTION ") + mode);
            }
            return connection;
        }
    }

    @OnServers
    @DisplayName("S16 a ping, and one of the transactions, fails while writes are refused, and succeeds afterwards")
    void ping(JdbcDialect dialect) {
        database = TestDatabase.open(dialect);
        SwitchedOver source = new SwitchedOver(database.pool(), database.isPostgres());
        JdbcDedupStore store = database.closing(database.builder(source).build());
        JdbcTransactions transactions = store.transactions(new DataSourceTransactionManager(source));
        store.ping();
        transactions.ping(TIMEOUT);

        source.readOnly.set(true);
        assertThatThrownBy(store::ping)
                .isInstanceOf(DedupStoreException.class)
                .hasMessageContaining("read-only")
                .hasMessageContaining("the store must write");
        assertThatThrownBy(() -> transactions.ping(TIMEOUT))
                .isInstanceOf(DedupStoreException.class)
                .hasMessageContaining("read-only");

        source.readOnly.set(false);
        store.ping();
        transactions.ping(TIMEOUT);
    }

    @OnServers
    @DisplayName(
            "S16 what a promotion comes too late for is the store's failure: its message is deferred, and the claim stays")
    void refused(JdbcDialect dialect) {
        database = TestDatabase.open(dialect);
        SwitchedOver source = new SwitchedOver(database.pool(), database.isPostgres());
        JdbcDedupStore store = database.closing(database.builder(source).build());
        JdbcTransactions transactions = store.transactions(new DataSourceTransactionManager(source));
        ClaimRequest claimed = Messages.acquire(store, messages.key());

        source.readOnly.set(true);
        assertThatThrownBy(() -> Messages.only(store.claim(List.of(Messages.claim(messages.key())))))
                .isInstanceOf(DedupStoreException.class);
        assertThatThrownBy(() -> Messages.only(store.complete(List.of(Messages.complete(claimed)))))
                .isInstanceOf(DedupStoreException.class);
        RecordTransaction transaction = transactions.beginWithRecords(TIMEOUT);
        assertThatThrownBy(() -> transaction.claimAll(List.of(Session.request(messages.key()))))
                .isInstanceOf(DedupStoreException.class);
        transaction.rollback();

        source.readOnly.set(false);
        assertThat(Messages.only(store.complete(List.of(Messages.complete(claimed, true)))))
                .isEqualTo(WriteResult.applied());
    }

    @OnEachDatabase
    @DisplayName("S16 a ping, and one of the transactions, leaves no record, nor does the start")
    void nothingLeft(JdbcDialect dialect) {
        database = TestDatabase.open(dialect);
        HikariDataSource pool = database.pool();
        JdbcDedupStore store = database.closing(database.builder(pool).build());

        store.ping();
        store.transactions(new DataSourceTransactionManager(pool)).ping(TIMEOUT);

        assertThat(database.count("SELECT count(*) FROM dedup_record")).isZero();
        assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
    }

    @OnServers
    @DisplayName("S16 a store on a read-only database doesn't start, and says why")
    void start(JdbcDialect dialect) {
        database = TestDatabase.open(dialect);
        database.builder().build().close();
        SwitchedOver source = new SwitchedOver(database.pool(), database.isPostgres());
        source.readOnly.set(true);

        assertThatThrownBy(database.builder(source)::build)
                .isInstanceOf(DedupStoreException.class)
                .hasMessageContaining("start on table dedup_record failed")
                .hasMessageContaining("point the JDBC URL to the primary server");
    }

    @Test
    @DisplayName(
            "S16 a MariaDB server with read_only refuses the ping of a user without the privilege to write all the same")
    void readOnlyServer() {
        try (MariaDbServer server = MariaDbServers.builder().start()) {
            database = TestDatabase.of(JdbcDialect.MARIADB, server.newDatabase());
            database.execute("CREATE USER app@'%' IDENTIFIED BY 'app'", "GRANT ALL ON *.* TO app@'%'");
            database.execute("REVOKE SUPER, READ_ONLY ADMIN ON *.* FROM app@'%'");
            HikariDataSource pool = database.pool(config -> {
                config.setUsername("app");
                config.setPassword("app");
            });
            JdbcDedupStore store = database.closing(database.builder(pool).build());
            store.ping();

            database.execute("SET GLOBAL read_only = ON");
            assertThatThrownBy(store::ping)
                    .isInstanceOf(DedupStoreException.class)
                    .hasMessageContaining("--read-only");
            database.execute("SET GLOBAL read_only = OFF");
            store.ping();
            database.close();
            database = TestDatabase.open(JdbcDialect.H2);
        }
    }

    /** A pool keeps sessions for half an hour, and those of the old primary server stay read-only. */
    @OnDrivers
    @DisplayName(
            "S16 pings end the read-only connections that the pool has kept, until one leads to a server that writes")
    void keptSessions(JdbcDialect dialect) throws SQLException {
        database = TestDatabase.open(dialect);
        HikariDataSource pool = database.pool(config -> {
            config.setMaximumPoolSize(3);
            config.setMinimumIdle(3);
        });
        JdbcDedupStore store = database.closing(database.builder(pool).build());
        await().until(() -> pool.getHikariPoolMXBean().getIdleConnections() == 3);
        try (Connection one = pool.getConnection();
                Connection two = pool.getConnection();
                Connection three = pool.getConnection()) {
            for (Connection each : new Connection[] {one, two, three}) {
                try (Statement statement = each.createStatement()) {
                    statement.execute(
                            database.isPostgres()
                                    ? "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY"
                                    : "SET SESSION TRANSACTION READ ONLY");
                }
            }
        }

        await().ignoreExceptionsInstanceOf(DedupStoreException.class).untilAsserted(store::ping);
        await().ignoreExceptionsInstanceOf(DedupStoreException.class)
                .untilAsserted(() -> Messages.done(store, messages.key()));
    }
}
