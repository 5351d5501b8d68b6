package io.dedup.store.jdbc.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.DedupKey;
import io.dedup.store.jdbc.JdbcDialect;
import io.dedup.store.jdbc.JdbcTransactions;
import io.dedup.store.jdbc.support.Messages;
import io.dedup.store.jdbc.support.Scene;
import io.dedup.store.jdbc.support.Session;
import io.dedup.store.transaction.BrokenTransactionException;
import io.dedup.store.transaction.CommitResult;
import io.dedup.store.transaction.RecordResult;
import io.dedup.store.transaction.RecordTransaction;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.TransactionTimedOutException;

/** S12 On PostgreSQL the statement that claims also bounds the transaction, in the server. */
class TransactionLimitTest {
    private static final List<String> SETTINGS =
            List.of("transaction_timeout", "statement_timeout", "idle_in_transaction_session_timeout", "lock_timeout");

    private static Scene scene;

    @BeforeAll
    static void start() {
        scene = new Scene(JdbcDialect.POSTGRESQL);
    }

    @AfterAll
    static void stop() {
        scene.close();
    }

    private static void claim(RecordTransaction transaction, int records) {
        List<DedupKey> keys =
                Stream.generate(scene.messages::key).limit(records).toList();
        assertThat(transaction.claimAll(keys.stream().map(Session::request).toList()))
                .allMatch(RecordResult.Written.class::isInstance);
    }

    private static List<String> settings(JdbcTemplate jdbc) {
        return SETTINGS.stream()
                .map(setting -> jdbc.queryForObject("SHOW " + setting, String.class))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    @DisplayName("a claim bounds its transaction, and nothing after it")
    void bounded(int records) {
        RecordTransaction transaction = scene.transactions.beginWithRecords(Duration.ofSeconds(60));
        claim(transaction, records);
        assertThat(settings(scene.business)).containsExactly("1min", "0", "0", "0");
        assertThat(transaction.commit()).isInstanceOf(CommitResult.Committed.class);
        IntStream.range(0, 20).forEach(i -> assertThat(settings(scene.business)).containsExactly("0", "0", "0", "0"));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    @DisplayName("a server before 17 bounds each statement and each pause")
    void boundedBefore17(int records) {
        DelegatingDataSource older = new OlderServer(scene.pool);
        JdbcTransactions transactions = scene.database
                .closing(scene.database.builder(older).build())
                .transactions(new DataSourceTransactionManager(older));
        RecordTransaction transaction = transactions.beginWithRecords(Duration.ofSeconds(60));
        claim(transaction, records);
        assertThat(settings(new JdbcTemplate(older))).containsExactly("0", "1min", "1min", "0");
        transaction.rollback();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    @DisplayName("what an operator has set stays; the commit is refused all the same when the time is over")
    void operatorsLimit(int records) {
        try (Scene operated = new Scene(JdbcDialect.POSTGRESQL)) {
            sessions(operated, "SET transaction_timeout = '1h'");
            sessions(operated, "SET lock_timeout = '77s'");
            JdbcTransactions transactions = operated.store.transactions(operated.manager);
            RecordTransaction transaction = transactions.beginWithRecords(Duration.ofMillis(1));
            claim(transaction, records);
            operated.effect("late");
            assertThat(settings(operated.business)).containsExactly("1h", "0", "0", "77s");
            operated.business.execute("SELECT pg_sleep(0.002)");
            assertThat(transaction.commit())
                    .isInstanceOfSatisfying(
                            CommitResult.RolledBack.class,
                            end -> assertThat(end.cause())
                                    .isInstanceOf(TransactionTimedOutException.class)
                                    .hasMessageContaining("maxProcessingTime"));
            assertThat(operated.effects()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    @DisplayName("what an operator had set and has taken back doesn't leave a transaction without bounds")
    void takenBack(int records) {
        try (Scene operated = new Scene(JdbcDialect.POSTGRESQL)) {
            sessions(operated, "SET transaction_timeout = '1h'");
            JdbcTransactions transactions = operated.store.transactions(operated.manager);
            sessions(operated, "RESET transaction_timeout");
            RecordTransaction transaction = transactions.beginWithRecords(Duration.ofSeconds(60));
            claim(transaction, records);
            assertThat(settings(operated.business)).containsExactly("1min", "0", "0", "0");
            transaction.rollback();
        }
    }

    /** For the database's sessions that begin from now on. */
    private static void sessions(Scene operated, String change) {
        String database = operated.business.queryForObject("SELECT current_database()", String.class);
        operated.business.execute("ALTER DATABASE \"" + database + "\" " + change);
        operated.pool.getHikariPoolMXBean().softEvictConnections();
    }

    @Test
    @DisplayName("also where not all of its messages have records")
    void boundedBesideOthers() {
        RecordTransaction transaction = scene.transactions.begin(Duration.ofSeconds(60));
        claim(transaction, 3);
        assertThat(settings(scene.business).get(0)).isEqualTo("1min");
        transaction.rollback();
    }

    @Test
    @DisplayName(
            "a handler that takes too long has failed, also where a result is to be kept: deferred, it would come for ever")
    void cutOffBeforeItsResult() {
        DedupKey key = scene.messages.key();
        RecordTransaction transaction = scene.transactions.beginWithRecords(Duration.ofSeconds(2));
        assertThat(transaction.claimAll(List.of(Session.request(key))).get(0)).isInstanceOf(RecordResult.Written.class);
        long began = System.nanoTime();
        await().until(() -> System.nanoTime() - began > 2_500_000_000L);
        assertThatThrownBy(() -> transaction.keepResult(key, new byte[] {1}))
                .isInstanceOf(BrokenTransactionException.class)
                .hasMessageContaining("maxProcessingTime");
        transaction.rollback();
    }

    @Test
    @DisplayName("a handler that takes too long is cut off, nothing of it stays, and the next one may")
    void cutOff() {
        long before = scene.effects();
        DedupKey key = scene.messages.key();
        RecordTransaction transaction = scene.transactions.beginWithRecords(Duration.ofSeconds(2));
        assertThat(transaction.claimAll(List.of(Session.request(key))).get(0)).isInstanceOf(RecordResult.Written.class);
        scene.effect("cut off");
        assertThatThrownBy(() -> scene.business.execute("SELECT pg_sleep(60)"))
                .isInstanceOf(DataAccessException.class)
                .hasMessageContaining("timeout");
        transaction.rollback();
        assertThat(scene.effects()).isEqualTo(before);
        try (Session next = scene.session()) {
            assertThat(next.claim(key)).isInstanceOf(RecordResult.Written.class);
        }
    }

    @Test
    @DisplayName("T2 a claim doesn't wait for long behind a row that somebody has locked")
    void lockedRow() throws SQLException {
        DedupKey key = scene.messages.key();
        Messages.done(scene.store, key);
        scene.database.execute("UPDATE dedup_record SET expires_at = 1 WHERE state = 4");
        try (Connection rival = scene.database.pool().getConnection();
                Session next = scene.session()) {
            rival.setAutoCommit(false);
            rival.createStatement().execute("SELECT 1 FROM dedup_record FOR UPDATE");
            assertThatThrownBy(() -> next.claim(key)).hasMessageContaining("lock");
            rival.rollback();
        }
    }

    /** Says of itself that it is PostgreSQL 16. */
    private static final class OlderServer extends DelegatingDataSource {
        OlderServer(HikariDataSource pool) {
            super(pool);
        }

        @Override
        public Connection getConnection() throws SQLException {
            return proxy(Connection.class, super.getConnection(), Map.of());
        }

        private static <T> T proxy(Class<T> type, T target, Map<String, Object> answers) {
            return type.cast(Proxy.newProxyInstance(
                    type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
                        Object known = answers.get(method.getName());
                        if (known != null) {
                            return known;
                        }
                        try {
                            Object result = method.invoke(target, args);
                            return result instanceof DatabaseMetaData metaData
                                    ? proxy(DatabaseMetaData.class, metaData, Map.of("getDatabaseMajorVersion", 16))
                                    : result;
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    }));
        }
    }
}
