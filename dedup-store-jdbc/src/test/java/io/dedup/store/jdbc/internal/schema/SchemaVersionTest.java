package io.dedup.store.jdbc.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.DedupKey;
import io.dedup.store.ClaimResult;
import io.dedup.store.jdbc.InitializeSchema;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.jdbc.JdbcDedupStoreBuilder;
import io.dedup.store.jdbc.JdbcDialect;
import io.dedup.store.jdbc.internal.sql.Micros;
import io.dedup.store.jdbc.internal.sql.TableName;
import io.dedup.store.jdbc.support.Messages;
import io.dedup.store.jdbc.support.OnServers;
import io.dedup.store.jdbc.support.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tables of other versions than this release's. */
class SchemaVersionTest {
    private static final Pattern SCRIPT = Pattern.compile("Apply classpath:(\\S+\\.sql) to it: (.*);$");

    private final Messages messages = new Messages();
    private TestDatabase database;

    @AfterEach
    void stop() {
        database.close();
    }

    /** As the tables were before they had a version, with a record that was done, one that expired and one in flight. */
    private void createVersion1(DedupKey done, DedupKey expired, DedupKey inFlight) {
        database.execute(
                database.isPostgres() ? """
                        CREATE TABLE dedup_record (
                            message_id bytea NOT NULL, scope bytea NOT NULL, state smallint NOT NULL,
                            owner text COLLATE "C", attempt integer NOT NULL, deaths integer NOT NULL,
                            token bigint NOT NULL, lease_until bigint NOT NULL, completed_at bigint,
                            expires_at bigint NOT NULL, fingerprint text COLLATE "C", result bytea,
                            PRIMARY KEY (message_id, scope))""" : """
                        CREATE TABLE dedup_record (
                            message_id VARBINARY(255) NOT NULL, scope VARBINARY(255) NOT NULL, state SMALLINT NOT NULL,
                            owner VARBINARY(64), attempt INT NOT NULL, deaths INT NOT NULL, token BIGINT NOT NULL,
                            lease_until BIGINT NOT NULL, completed_at BIGINT, expires_at BIGINT NOT NULL,
                            fingerprint VARBINARY(64), result LONGBLOB, PRIMARY KEY (message_id, scope)) ENGINE = InnoDB""", "CREATE INDEX dedup_record_purge ON dedup_record (expires_at)");
        long now = System.currentTimeMillis() * 1_000;
        long hour = Micros.of(Duration.ofHours(1));
        insert(done, 4, now + 10 * hour);
        insert(expired, 4, now - 10 * hour);
        insert(inFlight, 1, now + 10 * hour);
    }

    private void insert(DedupKey key, int state, long expiresAt) {
        database.execute(
                "INSERT INTO dedup_record (message_id, scope, state, owner, attempt, deaths, token, lease_until,"
                        + " completed_at, expires_at) VALUES ('" + key.messageId() + "', '"
                        + key.scope().text() + "', " + state + ", " + (state == 1 ? "'somebody'" : "NULL")
                        + ", 1, 0, 1, "
                        + (state == 1 ? expiresAt : 0) + ", " + (state == 4 ? "1" : "NULL") + ", " + expiresAt + ")");
    }

    @OnServers
    @DisplayName("a table of version 1 is refused with the script to apply; after that all of its records count")
    void upgrade(JdbcDialect dialect) {
        database = TestDatabase.open(dialect);
        DedupKey done = messages.key();
        DedupKey expired = messages.key();
        DedupKey inFlight = messages.key();
        createVersion1(done, expired, inFlight);

        String error = refusal("has schema version 1; this release needs version 2");
        assertThatThrownBy(database.builder().initializeSchema(InitializeSchema.NEVER)::build)
                .hasMessage(error);

        Matcher named = SCRIPT.matcher(error);
        assertThat(named.find()).as(error).isTrue();
        List<String> statements = SchemaScript.statements(named.group(1), TableName.parse(TableName.DEFAULT));
        assertThat(String.join("; ", statements)).isEqualTo(named.group(2));
        database.execute(statements.toArray(String[]::new));

        JdbcDedupStore store = database.store();
        assertThat(Messages.only(store.claim(List.of(Messages.claim(done)))))
                .isInstanceOf(ClaimResult.AlreadyDone.class);
        assertThat(Messages.only(store.claim(List.of(Messages.claim(inFlight)))))
                .isInstanceOf(ClaimResult.InFlight.class);
        Messages.done(store, messages.key());
        assertThat(store.purgeExpired(1_000)).isEqualTo(1);
        if (database.isPostgres()) {
            assertThat(database.count("SELECT count(*) FROM dedup_record WHERE purge_hour = expires_at / 3600000000 + 1"
                            + " AND message_id IN ('" + done.messageId() + "', '" + inFlight.messageId() + "')"))
                    .as("those that aren't due have got the right hour")
                    .isEqualTo(2);
        }
        database.execute("UPDATE dedup_record SET expires_at = expires_at - " + Micros.of(Duration.ofHours(15))
                + (database.isPostgres() ? ", purge_hour = purge_hour - 15" : ""));
        assertThat(store.purgeExpired(1_000)).isEqualTo(3);
    }

    @OnServers
    @DisplayName("the statements that are named are for the table that was set")
    void otherName(JdbcDialect dialect) {
        database = TestDatabase.open(dialect);
        createVersion1(messages.key(), messages.key(), messages.key());
        database.execute("ALTER TABLE dedup_record RENAME TO orders_dedup");

        assertThatThrownBy(database.builder().table("orders_dedup")::build)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Table orders_dedup has schema version 1")
                .hasMessageContaining("ALTER TABLE orders_dedup ADD COLUMN");
    }

    @Test
    @DisplayName("in a schema off the search path, they drop and create the index there, and leave a namesake alone")
    void otherSchema() {
        database = TestDatabase.open(JdbcDialect.POSTGRESQL);
        createVersion1(messages.key(), messages.key(), messages.key());
        database.execute("CREATE SCHEMA app", "ALTER TABLE dedup_record SET SCHEMA app");
        database.store(); // in the public schema
        JdbcDedupStoreBuilder app = database.builder().table("app.dedup_record");
        Throwable refused = catchThrowable(app::build);
        Matcher named = SCRIPT.matcher(refused.getMessage());
        assertThat(named.find()).as("%s", refused.getMessage()).isTrue();

        database.execute(named.group(2));

        JdbcDedupStore store = database.closing(app.build());
        assertThat(store.warnings()).isEmpty();
        assertThat(store.purgeExpired(10)).isEqualTo(1);
        assertThat(database.store().warnings()).isEmpty();
    }

    @Test
    @DisplayName("an upgrade that ended before its index was there is warned of, with what to do")
    void withoutIndex() {
        database = TestDatabase.open(JdbcDialect.POSTGRESQL);
        createVersion1(messages.key(), messages.key(), messages.key());
        database.execute("ALTER TABLE dedup_record ADD COLUMN purge_hour integer NOT NULL DEFAULT 0");

        assertThat(database.store().warnings())
                .singleElement()
                .asString()
                .contains("Table dedup_record has no valid index that begins with purge_hour")
                .contains("CREATE INDEX CONCURRENTLY dedup_record_purge ON dedup_record (purge_hour)");

        database.execute("DROP INDEX dedup_record_purge", "CREATE INDEX mine ON dedup_record (purge_hour)");
        assertThat(database.store().warnings()).isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "GENERIC")
    @DisplayName("a table of a newer version is refused, also one whose comment says more")
    void newer(JdbcDialect dialect) {
        database = TestDatabase.open(dialect);
        database.store();
        comment("orders team; dedup schema 3");

        refusal(
                "has schema version 3, which a newer release created; this release needs version 2. Upgrade the library");
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "GENERIC")
    @DisplayName("a table that has lost its comment, or has one of one's own, is told by its columns")
    void withoutComment(JdbcDialect dialect) {
        database = TestDatabase.open(dialect);
        database.store();
        for (String comment : List.of("", "orders team", "dedup schema 2, orders team")) {
            comment(comment);
            Messages.done(database.store(), messages.key());
        }
    }

    @OnServers
    @DisplayName("a new table carries its version; so does one in another schema or of another name")
    void written(JdbcDialect dialect) {
        database = TestDatabase.open(dialect);
        database.closing(database.builder().table("Orders_Dedup").build());
        assertThat(database.count(
                        database.isPostgres()
                                ? "SELECT count(*) FROM pg_description WHERE description = 'dedup schema 2'"
                                : "SELECT count(*) FROM information_schema.tables WHERE table_schema = DATABASE()"
                                        + " AND table_comment = 'dedup schema 2'"))
                .isEqualTo(1);
        comment("Orders_Dedup", "dedup schema 7");
        assertThatThrownBy(database.builder().table("Orders_Dedup")::build)
                .hasMessageContaining("has schema version 7");
    }

    @Test
    @DisplayName("the table in partitions carries its version, too")
    void partitioned() {
        database = TestDatabase.open(JdbcDialect.POSTGRESQL);
        database.createPartitioned();
        assertThat(database.store().warnings()).isEmpty();
        comment("dedup schema 3");
        refusal("has schema version 3");
    }

    private void comment(String text) {
        comment("dedup_record", text);
    }

    private void comment(String table, String text) {
        database.execute(
                database.isMariaDb()
                        ? "ALTER TABLE " + table + " COMMENT = '" + text + "'"
                        : "COMMENT ON TABLE " + table + " IS '" + text + "'");
    }

    private String refusal(String part) {
        JdbcDedupStoreBuilder builder = database.builder();
        Throwable[] thrown = new Throwable[1];
        assertThatThrownBy(() -> {
                    try {
                        builder.build();
                    } catch (Throwable e) {
                        thrown[0] = e;
                        throw e;
                    }
                })
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Table dedup_record")
                .hasMessageContaining(part);
        return String.valueOf(thrown[0].getMessage());
    }

    @Test
    @DisplayName("PostgreSQL: a table that is found further on in the search path is used, and not made anew before it")
    void searchPath() {
        database = TestDatabase.open(JdbcDialect.POSTGRESQL);
        DedupKey done = messages.key();
        Messages.done(database.store(), done);
        database.execute("CREATE SCHEMA app");
        HikariDataSource pool = database.pool(config -> config.setConnectionInitSql("SET search_path TO app, public"));

        JdbcDedupStore store = database.closing(database.builder(pool).build());

        assertThat(Messages.only(store.claim(List.of(Messages.claim(done)))))
                .isInstanceOf(ClaimResult.AlreadyDone.class);
        assertThat(database.count("SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
                        + " WHERE n.nspname = 'app'"))
                .isZero();
    }
}
