package io.dedup.store.jdbc.internal.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.DedupStoreException;
import io.dedup.Fingerprint;
import io.dedup.policy.Window;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.StoredRecord;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.jdbc.JdbcDialect;
import io.dedup.store.jdbc.JdbcKeyFormat;
import io.dedup.store.jdbc.support.Messages;
import io.dedup.store.jdbc.support.Session;
import io.dedup.store.jdbc.support.TestDatabase;
import io.dedup.store.transaction.CommitResult;
import io.dedup.store.transaction.RecordRequest;
import io.dedup.store.transaction.RecordResult;
import io.dedup.testservers.sql.MariaDbServer;
import io.dedup.testservers.sql.MariaDbServers;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Statements that MariaDB's sessions keep by name, in sessions that others change, reset and take over. */
class KeptStatementTest {
    private final Messages messages = new Messages();
    private final List<String> sent = Collections.synchronizedList(new ArrayList<>());
    private TestDatabase database;
    private HikariDataSource pool;

    @BeforeEach
    void start() {
        database = TestDatabase.open(JdbcDialect.MARIADB);
        pool = onePool(database);
    }

    private static HikariDataSource onePool(TestDatabase database) {
        return database.pool(config -> config.setMaximumPoolSize(1));
    }

    @AfterEach
    void stop() {
        database.close();
    }

    /** Notes the texts that are sent by the store without values of their own. */
    private DataSource recorded() {
        return new DelegatingDataSource(pool) {
            @Override
            public Connection getConnection() throws SQLException {
                return proxy(Connection.class, super.getConnection());
            }
        };
    }

    private <T> T proxy(Class<T> type, T target) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
            if (method.getName().startsWith("execute") && args != null && args.length > 0) {
                sent.add((String) args[0]);
            }
            try {
                Object result = method.invoke(target, args);
                return result instanceof Statement statement && method.getName().equals("createStatement")
                        ? proxy(Statement.class, statement)
                        : result;
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
    }

    private long prepared() {
        return sent.stream().filter(sql -> sql.contains("FOR PREPARE dedup_")).count();
    }

    private long executed() {
        return sent.stream().filter(sql -> sql.startsWith("EXECUTE dedup_")).count();
    }

    private JdbcDedupStore store(DataSource dataSource) {
        return database.closing(database.builder(dataSource).build());
    }

    /** Claims and completes, and asks what others get; five statements that are kept. */
    private void assertWorks(JdbcDedupStore store) {
        DedupKey key = messages.key();
        ClaimRequest claim = Messages.acquire(store, key);
        assertThat(Messages.only(store.claim(List.of(Messages.claim(key))))).isInstanceOf(ClaimResult.InFlight.class);
        assertThat(Messages.only(store.complete(List.of(Messages.complete(Messages.claim(key))))))
                .isEqualTo(WriteResult.leaseLost());
        assertThat(Messages.only(store.complete(List.of(Messages.complete(claim)))))
                .isEqualTo(WriteResult.applied());
        assertThat(Messages.only(store.claim(List.of(Messages.claim(key)))))
                .isInstanceOf(ClaimResult.AlreadyDone.class);
    }

    @Test
    @DisplayName("a session gets each statement once")
    void once() {
        JdbcDedupStore store = store(recorded());
        for (int i = 0; i < 5; i++) {
            assertWorks(store);
        }
        assertThat(prepared()).isEqualTo(2);
        assertThat(executed()).isEqualTo(25);
    }

    @Test
    @DisplayName("sessions that a pool resets each time get statements as text after a while, and each runs once")
    void reset() throws SQLException {
        database.close();
        database = TestDatabase.with(JdbcDialect.MARIADB, MariaDbServers.newDatabase(), "useResetConnection=true");
        pool = onePool(database);
        JdbcDedupStore store = store(recorded());
        for (int i = 0; i < 5; i++) {
            assertWorks(store);
            try (Connection connection = pool.getConnection()) {
                connection.unwrap(org.mariadb.jdbc.Connection.class).reset();
            }
        }
        long named = executed();
        assertWorks(store);
        assertThat(executed()).isEqualTo(named).isLessThan(25);
    }

    @Test
    @DisplayName("forgotten within a handler's transaction, which goes on: its record and its effect commit together")
    void forgottenInTransaction() {
        database.execute("CREATE TABLE effect (id int PRIMARY KEY)");
        DataSource recorded = recorded();
        JdbcDedupStore store = store(recorded);
        JdbcTemplate handler = new JdbcTemplate(recorded);
        DedupKey second = messages.key();
        try (Session session = new Session(store.transactions(new DataSourceTransactionManager(recorded)))) {
            assertThat(session.claim(messages.key())).isInstanceOf(RecordResult.Written.class);
            session.run(() -> {
                handler.update("INSERT INTO effect VALUES (1)");
                sent.stream()
                        .filter(sql -> sql.startsWith("EXECUTE dedup_"))
                        .map(sql -> sql.split(" ")[1])
                        .distinct()
                        .toList()
                        .forEach(name -> handler.execute("DEALLOCATE PREPARE " + name));
            });
            assertThat(session.claim(second)).isInstanceOf(RecordResult.Written.class);
            assertThat(session.claim(second)).isInstanceOf(RecordResult.Done.class);
            assertThat(session.commit()).isInstanceOf(CommitResult.Committed.class);
        }
        assertThat(database.count("SELECT count(*) FROM effect")).isEqualTo(1);
        assertThat(database.count("SELECT count(*) FROM dedup_record")).isEqualTo(2);
    }

    @Test
    @DisplayName("a session that is used with another database claims in that one's table")
    void otherDatabase() {
        JdbcDedupStore store = store(pool);
        assertWorks(store);
        String first = Objects.requireNonNull(new JdbcTemplate(pool).queryForObject("SELECT DATABASE()", String.class));
        String second = first + "_b";
        database.execute("CREATE DATABASE " + second, "CREATE TABLE " + second + ".dedup_record LIKE dedup_record");
        DedupKey key = messages.key();
        try {
            new JdbcTemplate(pool)
                    .execute("USE " + second); // a pool restores only what was set through its connections
            Messages.done(store, key);
            assertThat(database.count("SELECT count(*) FROM " + second + ".dedup_record"))
                    .isEqualTo(1);
            new JdbcTemplate(pool).execute("USE " + first);
            assertThat(Messages.only(store.claim(List.of(Messages.claim(key)))))
                    .isInstanceOf(ClaimResult.Acquired.class);
        } finally {
            database.execute("DROP DATABASE " + second);
        }
    }

    @Test
    @DisplayName("a table that is altered, or renamed and made again, meanwhile")
    void altered() {
        JdbcDedupStore store = store(pool);
        assertWorks(store);
        database.execute("ALTER TABLE dedup_record ADD COLUMN note int");
        assertWorks(store);
        database.execute("RENAME TABLE dedup_record TO old", "CREATE TABLE dedup_record LIKE old");
        assertWorks(store);
        assertThat(database.count("SELECT count(*) FROM dedup_record")).isEqualTo(1);
    }

    @Test
    @DisplayName("a server that keeps no statements gets them as text")
    void noneKept() {
        try (MariaDbServer server = MariaDbServers.builder()
                        .setting("max-prepared-stmt-count", "0")
                        .start();
                TestDatabase other = TestDatabase.of(JdbcDialect.MARIADB, server.newDatabase())) {
            JdbcDedupStore store = other.closing(other.builder(onePool(other)).build());
            assertWorks(store);
            assertWorks(store);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "ANSI_QUOTES,PIPES_AS_CONCAT,IGNORE_SPACE,HIGH_NOT_PRECEDENCE",
                "SIMULTANEOUS_ASSIGNMENT",
                "NO_BACKSLASH_ESCAPES,NO_ZERO_DATE,NO_ZERO_IN_DATE",
                "EMPTY_STRING_IS_NULL,PAD_CHAR_TO_FULL_LENGTH,TIME_ROUND_FRACTIONAL",
                "MSSQL",
                "ORACLE"
            })
    @DisplayName("each SQL mode: keys of every length and byte, windows and tokens are stored as they are")
    void modes(String mode) {
        HikariDataSource in = database.pool(config -> {
            config.setMaximumPoolSize(1);
            config.setConnectionInitSql("SET sql_mode = '" + mode + "'");
        });
        for (JdbcKeyFormat format : JdbcKeyFormat.values()) {
            if (format == JdbcKeyFormat.DIGEST && mode.startsWith("EMPTY_STRING_IS_NULL")) {
                continue; // the empty scope that digests have is none there, if the driver sends it as text
            }
            database.execute("DROP TABLE IF EXISTS dedup_record");
            JdbcDedupStore store =
                    database.closing(database.builder(in).keyFormat(format).build());
            assertWorks(store);
            assertExact(store, List.of(messages.key("a\\'\"\u0000\u0001" + "é".repeat(120))));
            List<DedupKey> keys = new ArrayList<>();
            for (int length : new int[] {1, 255, 2, 254, 17}) {
                keys.add(messages.key("k".repeat(length)));
                keys.add(DedupScope.of("other", "s".repeat(length % 200)).key("k".repeat(length)));
            }
            assertExact(store, keys);
            assertCommits(in, store);
        }
    }

    private void assertCommits(DataSource in, JdbcDedupStore store) {
        DedupKey key = messages.key();
        try (Session session = new Session(store.transactions(new DataSourceTransactionManager(in)))) {
            assertThat(session.claim(key)).isInstanceOf(RecordResult.Written.class);
            assertThat(session.claimAll(List.of(messages.key(), messages.key())))
                    .hasOnlyElementsOfType(RecordResult.Written.class);
            assertThat(session.commit()).isInstanceOf(CommitResult.Committed.class);
        }
        try (Session session = new Session(store.transactions(new DataSourceTransactionManager(in)))) {
            assertThat(session.claim(key)).isInstanceOf(RecordResult.Done.class);
        }
    }

    @Test
    @DisplayName("a session that leaves strict mode later cannot cut a key and answer for another's record")
    void leavesStrictMode() {
        JdbcDedupStore store = store(pool);
        Messages.done(store, messages.key("order-1234"));
        database.execute("ALTER TABLE dedup_record MODIFY message_id VARBINARY(10) NOT NULL");
        new JdbcTemplate(pool).execute("SET sql_mode = ''");
        ClaimRequest cut = Messages.claim(messages.key("order-12345678"));
        assertThat(store.claim(List.of(cut))).hasOnlyElementsOfType(ClaimResult.StoreError.class);
        try (Session session = new Session(store.transactions(new DataSourceTransactionManager(pool)))) {
            assertThatThrownBy(() -> session.claim(cut.key())).isInstanceOf(DedupStoreException.class);
        }
    }

    /** Windows, tokens and fingerprints of claims, single or in a batch in which nothing is shared. */
    private void assertExact(JdbcDedupStore store, List<DedupKey> keys) {
        List<ClaimRequest> claims = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            Fingerprint fingerprint = i % 2 == 0 ? null : new Fingerprint("f".repeat(1 + i));
            claims.add(new ClaimRequest(keys.get(i), Messages.owner(), Duration.ofSeconds(100 + i), fingerprint, true));
        }
        long before = System.currentTimeMillis();
        List<ClaimResult> answers = store.claim(claims);
        List<CompleteRequest> completions = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            assertThat(answers.get(i)).isInstanceOfSatisfying(ClaimResult.Acquired.class, acquired -> {
                assertThat(acquired.fencingToken() / 1_000).isBetween(before - 5_000, before + 60_000);
                assertThat(acquired.attempt()).isEqualTo(1);
            });
            assertThat(store.find(keys.get(i)).orElseThrow().leaseRemaining())
                    .isBetween(Duration.ofSeconds(40 + i), Duration.ofSeconds(100 + i));
            Window window = i % 2 == 0 ? Window.forever() : Window.of(Duration.ofHours(i));
            completions.add(new CompleteRequest(
                    new Claim(keys.get(i), claims.get(i).owner(), 1), window, new byte[] {0, '\'', '\\'}, false));
        }
        for (int i = 0; i < keys.size(); i++) {
            assertThat(Messages.only(store.complete(List.of(completions.get(i)))))
                    .isEqualTo(WriteResult.applied());
            StoredRecord found = store.find(keys.get(i)).orElseThrow();
            assertThat(found.result()).isEqualTo(completions.get(i).result());
            if (i % 2 == 0) {
                assertThat(found.expiresAt()).isNull();
            } else {
                assertThat(Duration.between(found.completedAt(), found.expiresAt()))
                        .isBetween(Duration.ofHours(i), Duration.ofHours(i).plusSeconds(1));
            }
        }
        assertThat(store.claim(Messages.again(claims))).hasOnlyElementsOfType(ClaimResult.AlreadyDone.class);
    }

    @Test
    @DisplayName(
            "a batch of what is new, done, in flight, released and the caller's own: each gets what it would get alone")
    void mixed() {
        JdbcDedupStore store = store(pool);
        List<ClaimRequest> claims = new ArrayList<>(messages.claims(7));
        Messages.done(store, claims.get(0).key());
        Messages.acquire(store, claims.get(1).key());
        Messages.released(store, claims.get(2).key());
        assertThat(store.claim(List.of(claims.get(3)))).hasOnlyElementsOfType(ClaimResult.Acquired.class);
        List<ClaimResult> answers = store.claim(claims);
        assertThat(answers.get(0)).isInstanceOf(ClaimResult.AlreadyDone.class);
        assertThat(answers.get(1)).isInstanceOf(ClaimResult.InFlight.class);
        Messages.assertAcquired(answers.get(2), 2);
        Messages.assertAcquired(answers.get(3), 1);
        assertThat(answers.subList(4, 7)).allSatisfy(answer -> Messages.assertAcquired(answer, 1));
    }

    @Test
    @DisplayName(
            "records of a batch in a transaction: new ones and ended ones are written, each request gets its own answer")
    void mixedInTransaction() {
        HikariDataSource two = database.pool(config -> config.setMaximumPoolSize(2));
        JdbcDedupStore store = store(two);
        List<DedupKey> keys = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            keys.add(messages.key());
        }
        Messages.done(store, keys.get(0));
        Messages.acquire(store, keys.get(2));
        Messages.released(store, keys.get(4));
        try (Session session = new Session(store.transactions(new DataSourceTransactionManager(two)))) {
            List<RecordRequest> requests = new ArrayList<>();
            for (int i = 0; i < keys.size(); i++) {
                requests.add(new RecordRequest(
                        keys.get(i),
                        i % 2 == 0 ? Messages.WINDOW : Window.forever(),
                        i == 5 ? new Fingerprint("five") : null));
            }
            List<RecordResult> answers = session.call(open -> open.claimAll(requests));
            assertThat(answers.get(0)).isInstanceOf(RecordResult.Done.class);
            assertThat(answers.get(2)).isInstanceOf(RecordResult.InFlight.class);
            for (int i : new int[] {1, 3, 4, 5, 6, 7}) {
                assertThat(answers.get(i)).isInstanceOf(RecordResult.Written.class);
            }
            assertThat(session.commit()).isInstanceOf(CommitResult.Committed.class);
        }
        assertThat(store.find(keys.get(1)).orElseThrow().expiresAt()).isNull();
        assertThat(store.find(keys.get(6)).orElseThrow().expiresAt()).isNotNull();
        assertThat(store.find(keys.get(5)).orElseThrow().fingerprint()).isEqualTo(new Fingerprint("five"));
    }
}
