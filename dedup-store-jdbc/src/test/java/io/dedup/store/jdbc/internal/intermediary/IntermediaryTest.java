package io.dedup.store.jdbc.internal.intermediary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.jdbc.JdbcDedupStoreBuilder;
import io.dedup.store.jdbc.JdbcDialect;
import io.dedup.store.jdbc.support.Messages;
import io.dedup.store.jdbc.support.Rewriting;
import io.dedup.store.jdbc.support.TestDatabase;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What the start makes of the answers of a pooler and of a Galera node. A real server plays them, so that this runs everywhere;
 * {@code PgBouncerTest} and {@code GaleraTest} have the real ones, where they are installed.
 */
class IntermediaryTest {
    private TestDatabase database;

    @AfterEach
    void stop() {
        database.close();
    }

    /** All connections seem to have the same session, and another one than the driver was told of. */
    private static String shared(String sql) {
        return sql.replace("pg_backend_pid()", "-7");
    }

    private JdbcDedupStoreBuilder builder(JdbcDialect dialect, UnaryOperator<String> change) {
        return builder(dialect, change, "");
    }

    private JdbcDedupStoreBuilder builder(JdbcDialect dialect, UnaryOperator<String> change, String initSql) {
        database = TestDatabase.open(dialect);
        return database.builder(new Rewriting(
                database.pool(config -> config.setConnectionInitSql(initSql.isEmpty() ? null : initSql)), change));
    }

    @Test
    @DisplayName("sessions are shared, and the driver's prepared statements keep the driver's names: refused")
    void preparedStatements() {
        assertThatThrownBy(builder(JdbcDialect.POSTGRESQL, IntermediaryTest::shared)::build)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Add prepareThreshold=0 to the JDBC URL")
                .hasMessageContaining("max_prepared_statements");
    }

    @Test
    @DisplayName("sessions are shared by a pooler that gives statements names of its own: accepted")
    void trackedStatements() {
        UnaryOperator<String> renamed = sql -> shared(sql).replace("name LIKE 'S\\_%'", "name LIKE 'PGBOUNCER\\_%'");
        JdbcDedupStore store = database(builder(JdbcDialect.POSTGRESQL, renamed).build());

        assertThat(store.warnings()).isEmpty();
        Messages.done(store, new Messages().key());
    }

    private JdbcDedupStore database(JdbcDedupStore store) {
        return database.closing(store);
    }

    @Test
    @DisplayName("sessions are shared, and one has a search_path of its own: refused, unless the schema is named")
    void searchPath() {
        UnaryOperator<String> renamed = sql -> shared(sql).replace("name LIKE 'S\\_%'", "name LIKE 'PGBOUNCER\\_%'");
        JdbcDedupStoreBuilder builder = builder(JdbcDialect.POSTGRESQL, renamed, "SET search_path TO public");

        assertThatThrownBy(builder::build)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("table(\"app.dedup_record\")");
        database(builder.table("public.dedup_record").build());
    }

    @Test
    @DisplayName(
            "with a pool of one connection it cannot be found out whether sessions are shared: refused, unless nothing is kept")
    void poolOfOne() {
        database = TestDatabase.open(JdbcDialect.POSTGRESQL);
        HikariDataSource pool = database.pool(config -> config.setMaximumPoolSize(1));

        assertThatThrownBy(database.builder(new Rewriting(pool, IntermediaryTest::shared))::build)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("pool of one connection")
                .hasMessageContaining("Add prepareThreshold=0 to the JDBC URL");
    }

    @Test
    @DisplayName("a router that sends queries to a standby: refused")
    void readsFromStandby() {
        UnaryOperator<String> routed = sql -> shared(sql).replace("pg_is_in_recovery()", "true");

        assertThatThrownBy(builder(JdbcDialect.POSTGRESQL, routed)::build)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("answered by a standby server")
                .hasMessageContaining("to the primary server");
    }

    @ParameterizedTest
    @CsvSource({"MARIADB, 0", "MARIADB, 1", "MARIADB, 3", "MYSQL, 0"})
    @DisplayName("a Galera node whose sessions don't wait for other nodes' writes: refused, with the option to set")
    void galera(JdbcDialect dialect, int waits) {
        assertThatThrownBy(builder(dialect, sql -> galera(sql, "/usr/lib/galera/libgalera_smm.so", waits))::build)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Galera")
                .hasMessageContaining("wsrep_sync_wait = " + waits)
                .hasMessageContaining("sessionVariables=wsrep_sync_wait=7");
    }

    @ParameterizedTest
    @CsvSource({"/usr/lib/galera/libgalera_smm.so, 7", "/usr/lib/galera/libgalera_smm.so, 15", "none, 0"})
    @DisplayName("a Galera node whose sessions wait, and a server that isn't part of a cluster: accepted")
    void galeraThatWaits(String provider, int waits) {
        JdbcDedupStore store = database(builder(JdbcDialect.MARIADB, sql -> galera(sql, provider, waits))
                .build());

        assertThat(store.warnings()).isEmpty();
    }

    private static String galera(String sql, String provider, int waits) {
        return sql.startsWith("SHOW VARIABLES WHERE Variable_name IN ('wsrep_on'")
                ? "SELECT 'wsrep_on', 'ON' UNION SELECT 'wsrep_provider', '" + provider
                        + "' UNION SELECT 'wsrep_sync_wait', '" + waits + "'"
                : sql;
    }
}
