package io.dedup.store.jdbc;

import static io.dedup.store.jdbc.support.Messages.acquireAll;
import static io.dedup.store.jdbc.support.Messages.assertAcquired;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.DedupKey;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.policy.Window;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.support.Messages;
import io.dedup.store.jdbc.support.Session;
import io.dedup.store.jdbc.support.TestDatabase;
import io.dedup.store.transaction.CommitResult;
import io.dedup.store.transaction.RecordRequest;
import io.dedup.store.transaction.RecordResult;
import io.dedup.testservers.sql.MariaDbServers;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Options of the driver that change what it counts and how it sends. */
class DriverFlagsTest {
    @ParameterizedTest(name = "{0} with {1}")
    @CsvSource({
        "MARIADB, useAffectedRows=true",
        "MARIADB, useAffectedRows=false",
        "MARIADB, useServerPrepStmts=true",
        "MARIADB, useBulkStmts=true",
        "MYSQL, useAffectedRows=true",
        "MYSQL, useAffectedRows=false",
        "MYSQL, useServerPrepStmts=true"
    })
    @DisplayName("S3 no answer depends on what the driver counts as an affected row")
    void affectedRows(JdbcDialect dialect, String option) {
        try (TestDatabase database = TestDatabase.with(dialect, MariaDbServers.newDatabase(), option)) {
            assertAnswers(database, database.store());
        }
    }

    @Test
    @DisplayName("S3 nor on whether it counts the rows of a batch at all")
    void uncounted() {
        try (TestDatabase database = TestDatabase.open(JdbcDialect.GENERIC)) {
            DataSource uncounting = new DelegatingDataSource(database.pool()) {
                @Override
                public Connection getConnection() throws SQLException {
                    return uncounting(Connection.class, super.getConnection());
                }
            };
            assertAnswers(
                    database, database.closing(database.builder(uncounting).build()));
        }
    }

    private static <T> T uncounting(Class<T> type, T target) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
            try {
                Object result = method.invoke(target, args);
                if (result instanceof int[] counts) {
                    Arrays.fill(counts, Statement.SUCCESS_NO_INFO);
                }
                return result instanceof PreparedStatement statement
                        ? uncounting(PreparedStatement.class, statement)
                        : result;
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
    }

    private static void assertAnswers(TestDatabase database, JdbcDedupStore store) {
        Messages messages = new Messages();
        DedupKey key = messages.key();
        ClaimRequest first = Messages.claim(key);

        assertAcquired(Messages.only(store.claim(List.of(first))), 1);
        assertAcquired(Messages.only(store.claim(List.of(first))), 1);
        assertThat(Messages.only(store.claim(List.of(Messages.claim(key))))).isInstanceOf(ClaimResult.InFlight.class);
        assertThat(Messages.only(store.renew(List.of(Messages.renew(first))))).isEqualTo(WriteResult.applied());
        assertThat(Messages.only(store.renew(List.of(Messages.renew(Messages.claim(key))))))
                .isEqualTo(WriteResult.leaseLost());
        assertThat(Messages.only(store.complete(List.of(Messages.complete(Messages.claim(key))))))
                .isEqualTo(WriteResult.leaseLost());
        assertThat(Messages.only(store.complete(List.of(Messages.complete(first)))))
                .isEqualTo(WriteResult.applied());
        assertThat(Messages.only(store.claim(List.of(Messages.claim(key)))))
                .isInstanceOf(ClaimResult.AlreadyDone.class);
        assertThat(Messages.only(store.claim(List.of(Messages.claim(key)))))
                .as("an unchanged duplicate")
                .isInstanceOf(ClaimResult.AlreadyDone.class);

        List<ClaimRequest> some = acquireAll(store, messages.claims(3));
        List<ClaimRequest> mixed = new ArrayList<>(some);
        mixed.add(1, Messages.claim(key));
        mixed.add(3, Messages.claim(messages.key()));
        assertThat(store.renew(mixed.stream().map(Messages::renew).toList()))
                .containsExactly(
                        WriteResult.applied(),
                        WriteResult.leaseLost(),
                        WriteResult.applied(),
                        WriteResult.leaseLost(),
                        WriteResult.applied());
        assertThat(store.complete(mixed.stream().map(Messages::complete).toList()))
                .containsExactly(
                        WriteResult.applied(),
                        WriteResult.leaseLost(),
                        WriteResult.applied(),
                        WriteResult.leaseLost(),
                        WriteResult.applied());
        assertThat(store.claim(Messages.again(some))).hasOnlyElementsOfType(ClaimResult.AlreadyDone.class);

        assertThat(store.forget(key, LiveLease.RESPECT)).isEqualTo(OperatorResult.APPLIED);
        assertThat(store.forget(key, LiveLease.RESPECT)).isEqualTo(OperatorResult.ABSENT);
        assertThat(store.forceDone(key, Messages.WINDOW, LiveLease.RESPECT)).isEqualTo(OperatorResult.APPLIED);
        database.age(Messages.WINDOW.duration());
        assertThat(store.purgeExpired(100)).isEqualTo(4);
    }

    @ParameterizedTest(name = "{0} with {1}")
    @CsvSource({
        "MARIADB, useAffectedRows=true",
        "MARIADB, useServerPrepStmts=true",
        "MYSQL, useAffectedRows=true",
        "MYSQL, useServerPrepStmts=true"
    })
    @DisplayName("S3 nor does any in a handler's transaction")
    void inTransaction(JdbcDialect dialect, String option) {
        Messages messages = new Messages();
        try (TestDatabase database = TestDatabase.with(dialect, MariaDbServers.newDatabase(), option)) {
            HikariDataSource pool = database.pool();
            JdbcDedupStore store = database.closing(database.builder(pool).build());
            JdbcTransactions transactions = store.transactions(new DataSourceTransactionManager(pool));
            DedupKey released = messages.key();
            Messages.released(store, released);
            DedupKey forever = messages.key();
            for (int round = 0; round < 3; round++) { // each of the statements, again and again
                DedupKey fresh = messages.key();
                try (Session session = new Session(transactions)) {
                    assertThat(session.claim(fresh)).isInstanceOf(RecordResult.Written.class);
                    assertThat(session.claim(released))
                            .isInstanceOf(round == 0 ? RecordResult.Written.class : RecordResult.Done.class);
                    RecordResult answer = session.call(
                                    open -> open.claimAll(List.of(new RecordRequest(forever, Window.forever(), null))))
                            .get(0);
                    if (round == 0) {
                        assertThat(answer).isInstanceOf(RecordResult.Written.class);
                    } else {
                        assertThat(answer)
                                .isInstanceOfSatisfying(
                                        RecordResult.Done.class,
                                        done -> assertThat(done.left()).isEqualTo(Window.forever()));
                    }
                    assertThat(session.commit()).isInstanceOf(CommitResult.Committed.class);
                }
                try (Session session = new Session(transactions)) {
                    assertThat(session.claim(fresh)).isInstanceOf(RecordResult.Done.class);
                }
            }
        }
    }
}
