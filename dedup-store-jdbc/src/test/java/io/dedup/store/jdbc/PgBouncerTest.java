package io.dedup.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.store.ClaimRequest;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.support.Messages;
import io.dedup.store.jdbc.support.Races;
import io.dedup.store.jdbc.support.TestDatabase;
import io.dedup.testservers.sql.PgBouncer;
import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlDatabase;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/**
 * PgBouncer between the driver and PostgreSQL, in each of its modes. The whole contract through it: set {@code
 * -Ddedup.test.postgres} to its address.
 */
class PgBouncerTest {
    private static final String UNNAMED = "?prepareThreshold=0";
    private static final int SESSIONS = 4;

    private final Messages messages = new Messages();
    private Path program;
    private PgBouncer pooler;
    private TestDatabase database;

    @BeforeEach
    void find() {
        program = PgBouncer.installed()
                .orElseGet(() -> abort("no pgbouncer on the PATH, and none named by -Ddedup.test.pgbouncer"));
    }

    @AfterEach
    void stop() {
        if (database != null) {
            database.close();
        }
        if (pooler != null) {
            pooler.close();
        }
    }

    private void start(String poolMode, String options) {
        SqlDatabase direct = PostgresServers.newDatabase();
        pooler = PgBouncer.start(program, direct.server(), poolMode, SESSIONS);
        String url = direct.jdbcUrlThrough(pooler.port()).replaceFirst("\\?.*", "") + options;
        database = TestDatabase.of(JdbcDialect.POSTGRESQL, direct, url);
    }

    @Test
    @DisplayName(
            "transaction mode: claims, completions and transactions of two processes have one winner, with fewer sessions"
                    + " than connections")
    void transactionMode() {
        start("transaction", UNNAMED);
        database.execute("CREATE TABLE effect (id varchar(100) NOT NULL)");
        HikariDataSource pool = database.pool();
        HikariDataSource other = database.pool();
        JdbcDedupStore store = database.closing(database.builder(pool).build());
        JdbcDedupStore second = database.closing(database.builder(other).build());
        assertThat(store.warnings()).isEmpty();

        try (Races races = new Races()) {
            for (ClaimRequest won : races.claims(List.of(store, second), 20)) {
                assertThat(second.renew(List.of(Messages.renew(won)))).containsExactly(WriteResult.applied());
                assertThat(Messages.only(store.complete(List.of(Messages.complete(won)))))
                        .isEqualTo(WriteResult.applied());
            }
            races.batches(List.of(store, second), 30);
            List<String> ids = races.effects(List.of(side(store, pool), side(second, other)), 20);
            assertThat(database.count("SELECT count(*) FROM effect")).isEqualTo(ids.size());
        }
    }

    private static Races.Side side(JdbcDedupStore store, HikariDataSource pool) {
        return new Races.Side(store.transactions(new DataSourceTransactionManager(pool)), new JdbcTemplate(pool));
    }

    @Test
    @DisplayName("transaction mode, and a driver that prepares statements in sessions: refused, with the option to set")
    void preparedStatements() {
        start("transaction", "");

        assertThatThrownBy(database.builder()::build)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("pool_mode = transaction")
                .hasMessageContaining("Add prepareThreshold=0 to the JDBC URL");
    }

    @Test
    @DisplayName("session mode: nothing has to be set")
    void sessionMode() {
        start("session", "");
        JdbcDedupStore store = database.closing(database.builder(database.pool(config -> config.setMaximumPoolSize(3)))
                .build());

        assertThat(store.warnings()).singleElement().asString().contains("pool is too small");
        Messages.done(store, messages.key());
    }

    @Test
    @DisplayName("statement mode: refused, because there are no transactions")
    void statementMode() {
        start("statement", UNNAMED);

        assertThatThrownBy(database.builder()::build)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Use pool_mode = transaction or session");
    }

    @Test
    @DisplayName("a search_path that was set in a shared session: refused unless the table's schema is named")
    void searchPath() {
        start("transaction", UNNAMED);
        database.execute("CREATE SCHEMA app");
        HikariDataSource pool = database.pool(config -> config.setConnectionInitSql("SET search_path TO app"));

        assertThatThrownBy(database.builder(pool)::build)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("search_path")
                .hasMessageContaining("table(\"app.dedup_record\")");
        JdbcDedupStore store = database.closing(
                database.builder(pool).table("app.dedup_record").build());
        Messages.done(store, messages.key());
        assertThat(database.count("SELECT count(*) FROM app.dedup_record")).isEqualTo(1);
    }

    @Test
    @DisplayName(
            "a pool of one connection cannot find out how sessions are lent: refused, unless nothing is kept in them")
    void poolOfOne() {
        start("session", "");
        HikariDataSource pool = database.pool(config -> config.setMaximumPoolSize(1));

        assertThatThrownBy(database.builder(pool)::build)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("pool of one connection")
                .hasMessageContaining("prepareThreshold=0");
    }
}
