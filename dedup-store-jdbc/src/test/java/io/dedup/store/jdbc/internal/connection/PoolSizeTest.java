package io.dedup.store.jdbc.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.store.ClaimRequest;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.jdbc.JdbcDialect;
import io.dedup.store.jdbc.support.Messages;
import io.dedup.store.jdbc.support.OnEachDatabase;
import io.dedup.store.jdbc.support.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;

/** What a store takes from a pool that has little. */
class PoolSizeTest {
    private final Messages messages = new Messages();
    private TestDatabase database;

    @AfterEach
    void stop() {
        database.close();
    }

    private HikariDataSource pool(int connections) {
        return database.pool(config -> {
            config.setMaximumPoolSize(connections);
            config.setConnectionTimeout(2_000);
        });
    }

    @OnEachDatabase
    @DisplayName(
            "S13 with a pool of one connection the heartbeat takes its turn: claims go on after it, and leases are renewed")
    void poolOfOne(JdbcDialect dialect) {
        database = TestDatabase.open(dialect);
        HikariDataSource pool = pool(1);
        JdbcDedupStore store = database.closing(database.builder(pool).build());
        ClaimRequest held = Messages.acquire(store, messages.key());

        for (int i = 0; i < 3; i++) {
            assertThat(store.renew(List.of(Messages.renew(held)))).containsExactly(WriteResult.applied());
            assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
            Messages.done(store, messages.key());
        }
        assertThat(Messages.only(store.complete(List.of(Messages.complete(held)))))
                .isEqualTo(WriteResult.applied());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    @DisplayName("S13 a pool that is too small for one consumer thread is warned of, by the name of its setting")
    void tooSmall(int connections) {
        database = TestDatabase.open(JdbcDialect.H2);
        JdbcDedupStore store =
                database.closing(database.builder(pool(connections)).build());

        assertThat(store.warnings())
                .singleElement()
                .satisfies(warning -> assertThat(warning)
                        .contains("it has at most " + connections + " connection")
                        .contains("2 for each consumer thread and 2 more")
                        .contains("Raise maximumPoolSize"));
    }

    @Test
    @DisplayName("S13 a pool that is large enough isn't warned of, and the heartbeat keeps one of its connections")
    void largeEnough() {
        database = TestDatabase.open(JdbcDialect.H2);
        HikariDataSource pool = pool(5);
        JdbcDedupStore store = database.closing(
                database.builder(new LazyConnectionDataSourceProxy(pool)).build());
        assertThat(store.warnings()).isEmpty();

        ClaimRequest held = Messages.acquire(store, messages.key());
        assertThat(store.renew(List.of(Messages.renew(held)))).containsExactly(WriteResult.applied());
        assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isEqualTo(1);
    }

    @Test
    @DisplayName("S13 from a pool that isn't known the heartbeat keeps nothing, and its size isn't guessed at")
    void unknown() {
        database = TestDatabase.open(JdbcDialect.H2);
        HikariDataSource pool = pool(5);
        DataSource wrapped = new AbstractDataSource() {
            @Override
            public Connection getConnection() throws SQLException {
                return pool.getConnection();
            }

            @Override
            public Connection getConnection(String user, String password) throws SQLException {
                return pool.getConnection(user, password);
            }
        };
        JdbcDedupStore store = database.closing(database.builder(wrapped).build());
        assertThat(store.warnings()).isEmpty();

        ClaimRequest held = Messages.acquire(store, messages.key());
        assertThat(store.renew(List.of(Messages.renew(held)))).containsExactly(WriteResult.applied());
        assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
    }
}
