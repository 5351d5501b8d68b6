package io.dedup.store.jdbc.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.jdbc.JdbcDialect;
import io.dedup.store.jdbc.JdbcTransactions;
import io.dedup.store.jdbc.support.Messages;
import io.dedup.store.jdbc.support.OnDrivers;
import io.dedup.store.jdbc.support.Session;
import io.dedup.store.jdbc.support.TestDatabase;
import io.dedup.store.transaction.CommitResult;
import io.dedup.store.transaction.RecordResult;
import io.dedup.store.transaction.RecordTransaction;
import io.dedup.testkit.faults.TcpProxy;
import io.dedup.testservers.sql.MariaDbServers;
import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** A server whose host is gone: its connections are neither closed nor answered. */
class SilentServerTest {
    private static final Duration LONGEST = Duration.ofSeconds(1);
    /** Milliseconds; longer than what is tested. */
    private static final int OWN_LIMIT = 600_000;

    private final Messages messages = new Messages();
    private TestDatabase database;
    private TcpProxy proxy;

    @AfterEach
    void stop() {
        Session.assertNothingBound();
        if (proxy != null) {
            proxy.close();
        }
        database.close();
    }

    private RecordTransaction handled(JdbcTransactions transactions) {
        RecordTransaction transaction = transactions.beginWithRecords(LONGEST);
        assertThat(transaction
                        .claimAll(List.of(Session.request(messages.key())))
                        .get(0))
                .isInstanceOf(RecordResult.Written.class);
        return transaction;
    }

    @OnDrivers
    @Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    @DisplayName("a commit waits for its answer no longer than the transaction may take")
    void commit(JdbcDialect dialect) {
        SqlDatabase server =
                dialect == JdbcDialect.POSTGRESQL ? PostgresServers.newDatabase() : MariaDbServers.newDatabase();
        database = TestDatabase.of(dialect, server);
        URI address = URI.create(server.jdbcUrl().substring("jdbc:".length()));
        proxy = TcpProxy.to(address.getHost(), address.getPort());
        HikariDataSource pool = database.pool(config -> config.setJdbcUrl(server.jdbcUrlThrough(proxy.port())));
        JdbcDedupStore store = database.closing(database.builder(pool).build());
        JdbcTransactions transactions = store.transactions(new DataSourceTransactionManager(pool));

        RecordTransaction transaction = handled(transactions);
        proxy.freeze();
        assertThat(transaction.commit()).isNotInstanceOf(CommitResult.Committed.class);

        proxy.cut();
        proxy.heal();
        assertThat(handled(transactions).commit()).isInstanceOf(CommitResult.Committed.class);
    }

    @OnDrivers
    @DisplayName("the connection's own limit is restored at the end")
    void restored(JdbcDialect dialect) {
        database = TestDatabase.open(dialect);
        HikariDataSource pool = database.pool();
        List<Integer> limits = new CopyOnWriteArrayList<>();
        DataSource watched = new DriverManagerDataSource(pool.getJdbcUrl(), pool.getUsername(), pool.getPassword()) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                connection.setNetworkTimeout(Runnable::run, OWN_LIMIT);
                return watched(connection, limits);
            }
        };
        JdbcDedupStore store = database.closing(database.builder(watched).build());
        JdbcTransactions transactions = store.transactions(new DataSourceTransactionManager(watched));
        limits.clear();

        assertThat(handled(transactions).commit()).isInstanceOf(CommitResult.Committed.class);
        handled(transactions).rollback();
        assertThat(limits).containsExactly(OWN_LIMIT, OWN_LIMIT);
    }

    /** Remembers the limit that the connection has when it is closed. */
    private static Connection watched(Connection connection, List<Integer> limits) {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        limits.add(connection.getNetworkTimeout());
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
