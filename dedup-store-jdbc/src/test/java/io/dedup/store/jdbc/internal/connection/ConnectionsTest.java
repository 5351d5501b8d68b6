package io.dedup.store.jdbc.internal.connection;

import static io.dedup.store.jdbc.support.Messages.acquireAll;
import static io.dedup.store.jdbc.support.Messages.assertAcquired;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.DedupStoreException;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.InitializeSchema;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.jdbc.JdbcDialect;
import io.dedup.store.jdbc.support.Messages;
import io.dedup.store.jdbc.support.OnEachDatabase;
import io.dedup.store.jdbc.support.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionTemplate;

/** Whose connections the store works on, and how it gives them back. */
class ConnectionsTest {
    private final Messages messages = new Messages();
    private TestDatabase database;

    @AfterEach
    void stop() {
        database.close();
    }

    @OnEachDatabase
    @DisplayName("a pool that hands out connections without autocommit: everything is committed at once all the same")
    void autoCommitOff(JdbcDialect dialect) throws SQLException {
        database = TestDatabase.open(dialect);
        HikariDataSource pool = database.pool(config -> {
            config.setAutoCommit(false);
            config.setMaximumPoolSize(2);
        });
        JdbcDedupStore store = database.closing(database.builder(pool).build());
        JdbcDedupStore other = database.store();

        List<ClaimRequest> held = acquireAll(store, messages.claims(3));
        assertThat(other.claim(Messages.again(held))).hasOnlyElementsOfType(ClaimResult.InFlight.class);
        assertThat(store.renew(held.stream().map(Messages::renew).toList())).containsOnly(WriteResult.applied());
        assertThat(store.complete(held.stream().map(Messages::complete).toList()))
                .containsOnly(WriteResult.applied());
        assertThat(other.claim(Messages.again(held))).hasOnlyElementsOfType(ClaimResult.AlreadyDone.class);
        database.age(Duration.ofHours(5)); // PostgreSQL purges by the hour
        assertThat(store.purgeExpired(10)).isEqualTo(3);
        assertThat(database.count("SELECT count(*) FROM dedup_record")).isZero();

        try (Connection connection = pool.getConnection()) {
            assertThat(connection.getAutoCommit()).isFalse();
        }
    }

    @OnEachDatabase
    @DisplayName(
            "inside a Spring transaction: its rollback undoes the handler's work, and neither claim nor completion")
    void springTransaction(JdbcDialect dialect) {
        database = TestDatabase.open(dialect);
        database.execute("CREATE TABLE business (id int PRIMARY KEY)");
        HikariDataSource pool = database.pool();
        JdbcDedupStore store = database.closing(database.builder(pool).build());
        JdbcTemplate business = new JdbcTemplate(pool);
        ClaimRequest request = Messages.claim(messages.key());
        List<ClaimRequest> batch = messages.claims(3);

        new TransactionTemplate(new DataSourceTransactionManager(pool)).executeWithoutResult(status -> {
            business.update("INSERT INTO business VALUES (1)");
            assertAcquired(Messages.only(store.claim(List.of(request))), 1);
            acquireAll(store, batch);
            assertThat(Messages.only(store.complete(List.of(Messages.complete(request)))))
                    .isEqualTo(WriteResult.applied());
            status.setRollbackOnly();
        });

        assertThat(database.count("SELECT count(*) FROM business")).isZero();
        assertThat(Messages.only(store.claim(List.of(Messages.claim(request.key())))))
                .isInstanceOf(ClaimResult.AlreadyDone.class);
        assertThat(store.claim(Messages.again(batch))).hasOnlyElementsOfType(ClaimResult.InFlight.class);
    }

    /** Both databases abort or doom a transaction in which something fails: here, nothing of the store's is in it. */
    @OnEachDatabase
    @DisplayName("S1 a duplicate, a lost lease and a failing store leave the surrounding transaction alone")
    void transactionGoesOn(JdbcDialect dialect) {
        database = TestDatabase.open(dialect);
        database.execute("CREATE TABLE business (id int PRIMARY KEY)");
        HikariDataSource pool = database.pool();
        JdbcDedupStore store = database.closing(database.builder(pool).build());
        JdbcTemplate business = new JdbcTemplate(pool);
        ClaimRequest request = Messages.acquire(store, messages.key());

        new TransactionTemplate(new DataSourceTransactionManager(pool)).executeWithoutResult(status -> {
            business.update("INSERT INTO business VALUES (1)");
            assertThat(Messages.only(store.claim(List.of(Messages.claim(request.key())))))
                    .isInstanceOf(ClaimResult.InFlight.class);
            assertThat(Messages.only(store.complete(List.of(Messages.complete(Messages.claim(request.key()))))))
                    .isEqualTo(WriteResult.leaseLost());
            database.execute("ALTER TABLE dedup_record RENAME TO elsewhere");
            assertThatThrownBy(() -> Messages.only(store.claim(List.of(Messages.claim(messages.key())))))
                    .isInstanceOf(DedupStoreException.class);
            business.update("INSERT INTO business VALUES (2)");
        });

        assertThat(database.count("SELECT count(*) FROM business")).isEqualTo(2);
    }

    @Test
    @DisplayName("S1 duplicates raise no error in PostgreSQL, not even one that is caught")
    void noErrorInServer() {
        database = TestDatabase.open(JdbcDialect.POSTGRESQL);
        String sql = "SELECT xact_rollback FROM pg_stat_database WHERE datname = current_database()";
        HikariDataSource pool = database.pool();
        JdbcDedupStore store =
                database.builder(pool).initializeSchema(InitializeSchema.ALWAYS).build();
        store.close();
        pool.close(); // a session that ends reports what it has counted; the start looked for a table in vain
        HikariDataSource fresh = database.pool();
        await().until(() -> database.count(sql) > 0);
        long before = database.count(sql);

        JdbcDedupStore again = database.builder(fresh).build();
        List<ClaimRequest> held = acquireAll(again, messages.claims(50));
        assertThat(again.claim(Messages.again(held))).hasOnlyElementsOfType(ClaimResult.InFlight.class);
        held.forEach(request -> Messages.only(again.claim(List.of(Messages.claim(request.key())))));
        held.forEach(request -> Messages.only(again.complete(List.of(Messages.complete(request)))));
        held.forEach(request -> Messages.only(again.claim(List.of(Messages.claim(request.key())))));
        again.close();
        fresh.close();

        String commits = "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()";
        await().until(() -> database.count(commits) > 150);
        assertThat(database.count(sql)).isEqualTo(before);
    }

    @OnEachDatabase
    @DisplayName("an exhausted pool: calls fail after its connection timeout, and say where to look; renewals go on")
    void exhausted(JdbcDialect dialect) throws SQLException {
        database = TestDatabase.open(dialect);
        HikariDataSource pool = database.pool(config -> {
            config.setMaximumPoolSize(3);
            config.setConnectionTimeout(500);
        });
        JdbcDedupStore store = database.closing(database.builder(pool).build());
        ClaimRequest held = Messages.acquire(store, messages.key());
        assertThat(store.renew(List.of(Messages.renew(held)))).containsOnly(WriteResult.applied());

        List<Connection> handlers = new ArrayList<>();
        while (handlers.size() < 2) {
            handlers.add(pool.getConnection());
        }
        assertThatThrownBy(() -> Messages.only(store.claim(List.of(Messages.claim(messages.key())))))
                .isInstanceOf(DedupStoreException.class)
                .hasMessageContaining("the pool and its connection timeout");
        assertThat(store.claim(messages.claims(3))).hasOnlyElementsOfType(ClaimResult.StoreError.class);
        assertThat(store.renew(List.of(Messages.renew(held))))
                .as("on the connection that the heartbeat has kept")
                .containsOnly(WriteResult.applied());
        for (Connection handler : handlers) {
            handler.close();
        }

        assertThat(Messages.only(store.complete(List.of(Messages.complete(held)))))
                .isEqualTo(WriteResult.applied());
        assertThat(pool.getHikariPoolMXBean().getActiveConnections())
                .as("the heartbeat's")
                .isEqualTo(1);
        store.close();
        assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
        assertThat(pool.isClosed()).isFalse();
        assertThatThrownBy(store::ping)
                .isInstanceOf(DedupStoreException.class)
                .hasStackTraceContaining("store is closed");
        assertThat(store.renew(List.of(Messages.renew(held)))).hasOnlyElementsOfType(WriteResult.StoreError.class);
    }

    @Test
    @DisplayName("data sources that would lend the handler's own connection are refused")
    void refused() throws SQLException {
        database = TestDatabase.open(JdbcDialect.H2);
        HikariDataSource pool = database.pool();

        assertThatThrownBy(database.builder(new TransactionAwareDataSourceProxy(pool))::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("TransactionAwareDataSourceProxy");
        assertThatThrownBy(database.builder(
                        new LazyConnectionDataSourceProxy(new TransactionAwareDataSourceProxy(pool)))::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("TransactionAwareDataSourceProxy");
        try (Connection connection = pool.getConnection()) {
            assertThatThrownBy(database.builder(new SingleConnectionDataSource(connection, true))::build)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("SingleConnectionDataSource");
        }
    }
}
