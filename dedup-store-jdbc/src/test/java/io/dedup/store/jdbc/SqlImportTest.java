package io.dedup.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.store.ClaimResult;
import io.dedup.store.StoredRecord;
import io.dedup.store.StoredRecord.State;
import io.dedup.store.jdbc.internal.schema.SchemaScript;
import io.dedup.store.jdbc.internal.sql.TableName;
import io.dedup.store.jdbc.support.Messages;
import io.dedup.store.jdbc.support.OnServers;
import io.dedup.store.jdbc.support.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;

/** The scripts that import a table inside the database. */
class SqlImportTest {
    private static final DedupScope SCOPE = DedupScope.of("billing", "orders");

    private TestDatabase database;

    @AfterEach
    void stop() {
        database.close();
    }

    @OnServers
    @DisplayName("the script records what an import would, beside running consumers, and can be repeated")
    void imports(JdbcDialect dialect) throws SQLException {
        database = TestDatabase.open(dialect);
        JdbcDedupStore store = database.store();
        boolean postgres = database.isPostgres();
        database.execute("CREATE TABLE processed_message (message_id "
                + (postgres ? "text, processed_at timestamptz" : "text CHARACTER SET utf8mb4, processed_at DATETIME(6)")
                + ")");
        Instant hourAgo = Instant.now().minus(Duration.ofHours(1)).truncatedTo(ChronoUnit.MILLIS);
        List<String> ids =
                List.of("a", "A", "a ", "ü€😀", "x".repeat(300), "sha256:b", "SHA256:b", "held", "done", "released");
        try (Connection connection = database.connect();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO processed_message VALUES (?, ?)")) {
            for (String id : ids) {
                add(insert, id, hourAgo);
                add(insert, id, hourAgo.minusSeconds(60));
            }
            add(insert, "over", hourAgo.minus(Duration.ofDays(8)));
            add(insert, " ", hourAgo);
        }
        Messages.acquire(store, SCOPE.key("held"));
        Messages.done(store, SCOPE.key("done"));
        StoredRecord done = store.find(SCOPE.key("done")).orElseThrow();
        Messages.released(store, SCOPE.key("released"));

        for (int run = 0; run < 2; run++) {
            importAll(postgres ? "import-postgresql.sql" : "import-mysql.sql");

            for (String id : ids) {
                DedupKey key = SCOPE.key(id);
                if (id.equals("held")) {
                    assertThat(store.find(key).orElseThrow().state()).isEqualTo(State.PROCESSING);
                    continue;
                }
                assertThat(Messages.only(store.claim(List.of(Messages.claim(key)))))
                        .as(id)
                        .isInstanceOf(ClaimResult.AlreadyDone.class);
                StoredRecord record = store.find(key).orElseThrow();
                assertThat(record.completedAt()).as(id).isEqualTo(id.equals("done") ? done.completedAt() : hourAgo);
                assertThat(record.expiresAt()).as(id).isEqualTo(hourAgo.plus(Duration.ofDays(7)));
                assertThat(record.attempt()).as(id).isEqualTo(id.equals("done") || id.equals("released") ? 1 : 0);
            }
            assertThat(database.count("SELECT count(*) FROM dedup_record")).isEqualTo(ids.size());
        }
        assertThat(store.find(SCOPE.key("over"))).isEmpty();
    }

    private void add(PreparedStatement insert, String id, Instant at) throws SQLException {
        boolean postgres = database.isPostgres();
        insert.setString(1, id);
        insert.setObject(
                2,
                postgres
                        ? at.atOffset(ZoneOffset.UTC)
                        : at.atOffset(ZoneOffset.UTC).toLocalDateTime());
        insert.executeUpdate();
    }

    private void importAll(String script) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            for (String sql :
                    SchemaScript.statements("io/dedup/store/jdbc/" + script, TableName.parse(TableName.DEFAULT))) {
                statement.execute(sql);
            }
        }
    }
}
