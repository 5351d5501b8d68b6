package io.dedup.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.DedupKey;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.support.Messages;
import io.dedup.store.jdbc.support.Session;
import io.dedup.store.jdbc.support.TestDatabase;
import io.dedup.store.transaction.CommitResult;
import io.dedup.store.transaction.RecordResult;
import io.dedup.testservers.sql.MariaDbServers;
import io.dedup.testservers.sql.SqlDatabase;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/**
 * MariaDB in a session in which a backslash is an ordinary character ({@code NO_BACKSLASH_ESCAPES}), with values that the
 * driver writes into the statements, as it does by default. It learns from each answer whether to escape: the store's statements
 * mustn't teach it the contrary.
 */
class NoBackslashEscapesTest {
    private static final String BACKSLASH = "orders\\4711";

    private final Messages messages = new Messages();
    private TestDatabase database;
    private HikariDataSource pool;
    private JdbcTemplate handlers;

    @BeforeEach
    void start() {
        SqlDatabase sql = MariaDbServers.newDatabase();
        database = TestDatabase.of(
                JdbcDialect.MARIADB,
                sql,
                sql.jdbcUrl() + (sql.jdbcUrl().contains("?") ? "&" : "?")
                        + "sessionVariables=sql_mode='STRICT_ALL_TABLES,NO_BACKSLASH_ESCAPES'");
        pool = database.pool(config -> config.setMaximumPoolSize(1));
        handlers = new JdbcTemplate(pool);
        database.execute("CREATE TABLE effect (id varchar(100) NOT NULL)");
    }

    @AfterEach
    void stop() {
        database.close();
    }

    @Test
    @DisplayName("a message whose ID has a backslash is completed under the ID by which it was claimed")
    void leased() {
        JdbcDedupStore store = store(JdbcKeyFormat.PLAIN);
        DedupKey key = messages.key(BACKSLASH);
        handlers.execute("DO 1"); // the driver learns the session's own mode
        ClaimRequest claim = Messages.acquire(store, key);
        assertThat(Messages.only(store.complete(List.of(Messages.complete(claim)))))
                .isEqualTo(WriteResult.applied());
        assertThat(Messages.only(store.claim(List.of(Messages.claim(key)))))
                .isInstanceOf(ClaimResult.AlreadyDone.class);
        assertThat(store.find(key)).isPresent();
    }

    @Test
    @DisplayName("digests, in which any byte occurs, are found again, single and in batches")
    void digests() {
        JdbcDedupStore store = store(JdbcKeyFormat.DIGEST);
        for (ClaimRequest claim : messages.claims(100)) {
            Messages.assertAcquired(Messages.only(store.claim(List.of(claim))), 1);
            assertThat(Messages.only(store.complete(List.of(Messages.complete(claim)))))
                    .isEqualTo(WriteResult.applied());
        }
        List<ClaimRequest> claims = messages.claims(100);
        assertThat(store.claim(claims)).hasOnlyElementsOfType(ClaimResult.Acquired.class);
        assertThat(store.complete(claims.stream().map(Messages::complete).toList()))
                .containsOnly(WriteResult.applied());
    }

    @Test
    @DisplayName("what the handler writes on the claim's connection is what it was given, and its values stay values")
    void statementsOfTheHandler() {
        try (Session session = session()) {
            assertThat(session.claim(messages.key(BACKSLASH))).isInstanceOf(RecordResult.Written.class);
            session.run(() -> handlers.update("INSERT INTO effect VALUES (?)", "a\\b'c"));
            assertThat(session.commit()).isInstanceOf(CommitResult.Committed.class);
        }
        assertThat(handlers.queryForList("SELECT id FROM effect", String.class)).containsExactly("a\\b'c");

        try (Session session = session()) {
            assertThat(session.claim(messages.key())).isInstanceOf(RecordResult.Written.class);
            int found = session.call(open -> handlers.queryForObject(
                    "SELECT count(*) FROM effect WHERE 'secret' = ?", Integer.class, "' OR 1=1 -- "));
            assertThat(found).isZero();
        }
    }

    @Test
    @DisplayName("a result is stored as it is")
    void result() {
        JdbcDedupStore store = store(JdbcKeyFormat.PLAIN);
        ClaimRequest claim = Messages.acquire(store, messages.key());
        byte[] json = "{\"a\":\"\\n\"}".getBytes(StandardCharsets.UTF_8);
        Claim mine = new Claim(claim.key(), claim.owner(), 1);
        assertThat(Messages.only(store.complete(List.of(new CompleteRequest(mine, Messages.WINDOW, json, false)))))
                .isEqualTo(WriteResult.applied());
        assertThat(store.find(claim.key()).orElseThrow().result()).isEqualTo(json);
    }

    private JdbcDedupStore store(JdbcKeyFormat format) {
        return database.closing(database.builder(pool).keyFormat(format).build());
    }

    private Session session() {
        return new Session(store(JdbcKeyFormat.PLAIN).transactions(new DataSourceTransactionManager(pool)));
    }
}
