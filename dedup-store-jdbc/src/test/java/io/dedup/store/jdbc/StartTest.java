package io.dedup.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.DedupKey;
import io.dedup.DedupStoreException;
import io.dedup.store.jdbc.support.Messages;
import io.dedup.store.jdbc.support.OnEachDatabase;
import io.dedup.store.jdbc.support.TestDatabase;
import io.dedup.testservers.sql.MariaDbServer;
import io.dedup.testservers.sql.MariaDbServers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What a store refuses to start with. */
class StartTest {
    private final Messages messages = new Messages();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private TestDatabase database;

    @BeforeEach
    void open() {
        database = TestDatabase.open(JdbcDialect.H2);
        opened.add(database);
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable resource : opened) {
            resource.close();
        }
    }

    private TestDatabase on(JdbcDialect dialect) {
        TestDatabase other = TestDatabase.open(dialect);
        opened.add(other);
        return other;
    }

    static Stream<Arguments> badSettings() {
        return Stream.of(
                setting("table", builder -> builder.table("dedup_record; DROP TABLE x")),
                setting("table", builder -> builder.table("\"dedup\"")),
                setting("table", builder -> builder.table("a.b.c")),
                setting("table", builder -> builder.table("")),
                setting("table", builder -> builder.table("t\u00e4ble")),
                setting("table", builder -> builder.table("x".repeat(49))),
                setting("attemptRetention", builder -> builder.attemptRetention(Duration.ZERO)),
                setting("attemptRetention", builder -> builder.attemptRetention(Duration.ofDays(-1))),
                setting("attemptRetention", builder -> builder.attemptRetention(Duration.ofSeconds(Long.MAX_VALUE))),
                setting("lockTimeout", builder -> builder.lockTimeout(Duration.ZERO)),
                setting("lockTimeout", builder -> builder.lockTimeout(Duration.ofMillis(-1))),
                setting("lockTimeout", builder -> builder.lockTimeout(Duration.ofHours(1))),
                setting("queryTimeout", builder -> builder.queryTimeout(Duration.ZERO)),
                setting("queryTimeout", builder -> builder.queryTimeout(Duration.ofNanos(1))),
                setting("queryTimeout", builder -> builder.queryTimeout(Duration.ofMillis(999))),
                setting("lockTimeout", builder -> builder.lockTimeout(Duration.ofSeconds(6))),
                setting("maxBatch", builder -> builder.maxBatch(0)),
                setting("maxBatch", builder -> builder.maxBatch(5_001)),
                setting("purgeBatch", builder -> builder.purgeBatch(-1)),
                setting("purgeBatch", builder -> builder.purgeBatch(Integer.MAX_VALUE)),
                setting("purgeInterval", builder -> builder.purgeInterval(Duration.ZERO)),
                setting("purgeInterval", builder -> builder.purgeInterval(Duration.ofDays(2))),
                setting("clockQuery", builder -> builder.clockQuery(" ")),
                setting("clockQuery", builder -> builder.clockQuery("SELECT 1 AS store_time")));
    }

    private static Arguments setting(String name, UnaryOperator<JdbcDedupStoreBuilder> bad) {
        return Arguments.of(name, bad);
    }

    @ParameterizedTest(name = "[{index}] {0}")
    @MethodSource("badSettings")
    @DisplayName("T9 a bad setting is refused, by its name")
    void badSetting(String name, UnaryOperator<JdbcDedupStoreBuilder> bad) {
        assertThatThrownBy(() -> bad.apply(database.builder()).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(name);
    }

    @OnEachDatabase
    @DisplayName("a missing table is refused, with the setting that creates it and the file that describes it")
    void missingTable(JdbcDialect dialect) {
        TestDatabase empty = on(dialect);

        assertThatThrownBy(empty.builder().initializeSchema(InitializeSchema.NEVER)::build)
                .isInstanceOf(DedupStoreException.class)
                .hasMessageContaining("initializeSchema(ALWAYS)")
                .hasMessageContaining("classpath:" + dialect.schemaResource());
    }

    @Test
    @DisplayName("by default the table is created in an embedded database, and nowhere else")
    void embedded() {
        JdbcDedupStore store = database.closing(
                database.builder().initializeSchema(InitializeSchema.EMBEDDED).build());
        Messages.done(store, messages.key());

        assertThatThrownBy(on(JdbcDialect.POSTGRESQL).builder().initializeSchema(InitializeSchema.EMBEDDED)::build)
                .isInstanceOf(DedupStoreException.class);
    }

    @OnEachDatabase
    @DisplayName("several stores that start at the same time on an empty database all come up")
    void together(JdbcDialect dialect) throws Exception {
        startTogether(on(dialect));
    }

    @RepeatedTest(40)
    @DisplayName("a table that another store is about to give its primary key isn't refused")
    void halfCreated() throws Exception {
        startTogether(on(JdbcDialect.H2)); // makes the key after the table, and shows the table without it
    }

    private void startTogether(TestDatabase empty) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            Callable<JdbcDedupStore> start = empty::store;
            for (Future<JdbcDedupStore> store : threads.invokeAll(List.of(start, start, start, start))) {
                Messages.done(store.get(), messages.key());
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @OnEachDatabase
    @DisplayName("a table of another name, two of them side by side, found again at the next start")
    void otherTable(JdbcDialect dialect) {
        TestDatabase own = on(dialect);
        JdbcDedupStore one = own.closing(own.builder().table("Orders_Dedup").build());
        JdbcDedupStore two = own.closing(own.builder().table("payments_dedup").build());
        DedupKey key = messages.key();
        Messages.done(one, key);
        Messages.done(two, key);

        JdbcDedupStore again = own.closing(own.builder()
                .table("Orders_Dedup")
                .initializeSchema(InitializeSchema.NEVER)
                .build());
        assertThat(again.find(key)).isPresent();
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource({
        "POSTGRESQL, 'for JDBC VARCHAR,', ALTER TABLE dedup_record ALTER message_id TYPE text USING 'x'",
        "MARIADB, '(255), for JDBC VARCHAR,', ALTER TABLE dedup_record MODIFY message_id VARCHAR(255) NOT NULL",
        "MARIADB, '(254), for JDBC VARBINARY,', ALTER TABLE dedup_record MODIFY scope VARBINARY(254) NOT NULL",
        "MYSQL, ', for JDBC VARCHAR,', ALTER TABLE dedup_record MODIFY message_id VARCHAR(255) COLLATE utf8mb4_bin NOT NULL",
        "H2, '(255), for JDBC VARCHAR,', ALTER TABLE dedup_record ALTER COLUMN message_id VARCHAR(255)",
        "GENERIC, '(100), for JDBC VARBINARY,', ALTER TABLE dedup_record ALTER COLUMN message_id VARBINARY(100)"
    })
    @DisplayName("T8 S5 S8 a key column that compares as text, or is too short, is refused")
    void unfitColumn(JdbcDialect dialect, String type, String sql) {
        TestDatabase own = on(dialect);
        own.store();
        own.execute(sql);

        assertThatThrownBy(own.builder()::build)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(type + " but must be binary and hold 255 bytes")
                .hasMessageContaining("for JDBC BINARY, VARBINARY")
                .hasMessageContaining(dialect.schemaResource());
    }

    @OnEachDatabase
    @DisplayName("a table without its primary key, which would let two claims through, is refused")
    void noPrimaryKey(JdbcDialect dialect) {
        TestDatabase own = on(dialect);
        own.store();
        own.execute(
                own.isPostgres()
                        ? "ALTER TABLE dedup_record DROP CONSTRAINT dedup_record_pkey"
                        : "ALTER TABLE dedup_record DROP PRIMARY KEY");

        assertThatThrownBy(own.builder()::build)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("must be (message_id, scope)");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"POSTGRESQL, POSTGRESQL", "MARIADB, MARIADB", "H2, H2"})
    @DisplayName("the dialect is found out from the connection")
    void detected(JdbcDialect dialect, JdbcDialect expected) {
        TestDatabase own = on(dialect);
        HikariDataSource pool = own.pool();
        JdbcDedupStore store = own.closing(JdbcDedupStore.builder(pool)
                .purgeInterval(null)
                .initializeSchema(InitializeSchema.ALWAYS)
                .build());
        Messages.done(store, messages.key());
        assertThat(own.count("SELECT count(*) FROM dedup_record")).isEqualTo(1);
        // Only the right DDL has what the dialect's statements need.
        assertThat(expected.schemaResource()).isEqualTo(dialect.schemaResource());
    }

    @Test
    @DisplayName("a dialect for another server is refused")
    void wrongDialect() {
        assertThatThrownBy(on(JdbcDialect.POSTGRESQL).builder().dialect(JdbcDialect.MARIADB)::build)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("dialect(MARIADB) does not work with PostgreSQL");
    }

    @Test
    @DisplayName("a generic clock that cannot be read is refused, with the setting to be changed")
    void unreadableClock() {
        assertThatThrownBy(on(JdbcDialect.GENERIC).builder().clockQuery("SELECT 'noon' AS store_time")::build)
                .isInstanceOf(DedupStoreException.class)
                .hasMessageContaining("clockQuery(...)");
    }

    @Test
    @DisplayName("a generic clock of one's own is used")
    void ownClock() {
        TestDatabase own = on(JdbcDialect.GENERIC);
        JdbcDedupStore store = own.closing(own.builder()
                .clockQuery("SELECT 1000000000000000 AS store_time")
                .build());
        DedupKey key = messages.key();
        Messages.done(store, key);
        assertThat(store.find(key).orElseThrow().completedAt()).isEqualTo(Instant.ofEpochSecond(1_000_000_000));
    }

    @Test
    @DisplayName("S7 a server whose SYSDATE stands still within a statement is warned of")
    void sysdateIsNow() {
        try (MariaDbServer server =
                        MariaDbServers.builder().setting("sysdate-is-now", "1").start();
                TestDatabase still = TestDatabase.of(JdbcDialect.MARIADB, server.newDatabase())) {
            assertThat(still.store().warnings())
                    .singleElement()
                    .satisfies(warning -> assertThat(warning)
                            .contains("The server runs with sysdate-is-now")
                            .contains("Disable this option"));
        }
        assertThat(on(JdbcDialect.MARIADB).store().warnings()).isEmpty();
    }
}
