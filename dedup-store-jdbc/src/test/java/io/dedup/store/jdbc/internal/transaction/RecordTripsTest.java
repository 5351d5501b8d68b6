package io.dedup.store.jdbc.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.DedupKey;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.jdbc.JdbcDialect;
import io.dedup.store.jdbc.JdbcTransactions;
import io.dedup.store.jdbc.support.Messages;
import io.dedup.store.jdbc.support.Session;
import io.dedup.store.jdbc.support.TestDatabase;
import io.dedup.store.transaction.RecordResult;
import io.dedup.store.transaction.RecordTransaction;
import io.dedup.testservers.sql.MariaDbServer;
import io.dedup.testservers.sql.MariaDbServers;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** How many statements the calls of a transaction take. */
class RecordTripsTest {
    private final Messages messages = new Messages();
    private final List<String> executed = Collections.synchronizedList(new ArrayList<>());
    private TestDatabase database;
    private @Nullable MariaDbServer server;

    @AfterEach
    void stop() {
        database.close();
        if (server != null) {
            server.close();
        }
    }

    /** Notes the statements as they are executed. */
    private final class Counting extends DelegatingDataSource {
        Counting(HikariDataSource pool) {
            super(pool);
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection target = super.getConnection();
            return proxy(Connection.class, target, "");
        }

        private <T> T proxy(Class<T> type, T target, String sql) {
            return type.cast(Proxy.newProxyInstance(
                    type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
                        if (method.getName().startsWith("execute")) {
                            executed.add(args == null || args.length == 0 ? sql : String.valueOf(args[0]));
                        }
                        try {
                            Object result = method.invoke(target, args);
                            if (result instanceof PreparedStatement statement) {
                                return proxy(PreparedStatement.class, statement, (String) args[0]);
                            }
                            return result instanceof Statement statement
                                    ? proxy(Statement.class, statement, sql)
                                    : result;
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    }));
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"POSTGRESQL, 1, 2", "MARIADB, 1, 2", "MYSQL, 3, 3"})
    @DisplayName(
            "claimAll takes one statement, single or batch; on PostgreSQL another for the records of a batch that were there, on MariaDB for those that are written in place of others")
    void statements(JdbcDialect dialect, int claims, int mixed) {
        database = TestDatabase.open(dialect);
        Counting counting = new Counting(database.pool());
        JdbcDedupStore store = database.closing(database.builder(counting).build());
        JdbcTransactions transactions = store.transactions(new DataSourceTransactionManager(counting));
        List<DedupKey> keys =
                IntStream.range(0, 100).mapToObj(i -> messages.key()).toList();
        Messages.done(store, keys.get(0));
        Messages.acquire(store, keys.get(1));
        Messages.released(store, keys.get(2));
        List<ClaimRequest> held = Messages.acquireAll(store, messages.claims(20));

        RecordTransaction transaction = transactions.beginWithRecords(Session.TIMEOUT);
        executed.clear();
        List<RecordResult> answers =
                transaction.claimAll(keys.stream().map(Session::request).toList());
        assertThat(answers.stream().filter(RecordResult.Written.class::isInstance))
                .hasSize(98);
        assertExecuted(mixed);
        transaction.claimAll(List.of(Session.request(messages.key())));
        assertExecuted(claims + prepared(dialect));
        transaction.claimAll(List.of(Session.request(messages.key()), Session.request(messages.key())));
        assertExecuted(claims);
        transaction.completeAll(held.stream().map(Messages::complete).toList());
        assertExecuted(1);
        transaction.removeAll(keys);
        assertExecuted(1);
        transaction.rollback();
        assertExecuted(0);

        int more = dialect == JdbcDialect.POSTGRESQL ? 0 : 1; // where an undone transaction has to be noticed
        RecordTransaction second = transactions.beginWithRecords(Session.TIMEOUT);
        assertExecuted(0);
        second.claimAll(List.of(Session.request(messages.key())));
        executed.clear();
        second.commit();
        assertExecuted(more);

        RecordTransaction third = transactions.begin(Session.TIMEOUT);
        assertExecuted(more);
        third.commit();
        assertExecuted(more);
    }

    @ParameterizedTest(name = "a result of {0} bytes")
    @CsvSource({"256, 1", "257, 2"})
    @DisplayName("on MariaDB a batch of claims takes one statement, and another for a large result")
    void resultInABatchOfClaims(int bytes, int trips) {
        database = TestDatabase.open(JdbcDialect.MARIADB);
        JdbcDedupStore store =
                database.closing(database.builder(new Counting(database.pool())).build());
        ClaimRequest done = Messages.acquire(store, messages.key());
        CompleteRequest empty = Messages.complete(done);
        byte[] result = new byte[bytes];
        store.complete(List.of(new CompleteRequest(empty.claim(), empty.window(), result, false)));
        List<ClaimRequest> requests = new ArrayList<>(Messages.again(List.of(done)));
        requests.addAll(messages.claims(2));
        executed.clear();

        List<ClaimResult> answers = store.claim(requests);

        assertExecuted(trips);
        assertThat(((ClaimResult.AlreadyDone) answers.get(0)).result()).isEqualTo(result);
        assertThat(answers.subList(1, 3)).hasOnlyElementsOfType(ClaimResult.Acquired.class);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"MARIADB, 1, 2", "MYSQL, 3, 3"})
    @DisplayName(
            "one message takes one statement; on MariaDB one more where its record is written in place of another one")
    void single(JdbcDialect dialect, int trips, int instead) {
        database = TestDatabase.open(dialect);
        Counting counting = new Counting(database.pool());
        JdbcDedupStore store = database.closing(database.builder(counting).build());
        JdbcTransactions transactions = store.transactions(new DataSourceTransactionManager(counting));
        DedupKey done = messages.key();
        Messages.done(store, done);
        DedupKey claimed = messages.key();
        Messages.acquire(store, claimed);
        DedupKey released = messages.key();
        Messages.released(store, released);
        try (Session asking = new Session(transactions);
                Session rival = new Session(transactions)) {
            DedupKey running = messages.key();
            rival.claim(running);
            executed.clear();
            assertThat(asking.claim(messages.key())).isInstanceOf(RecordResult.Written.class);
            assertExecuted(trips + prepared(dialect));
            assertThat(asking.claim(done)).isInstanceOf(RecordResult.Done.class);
            assertExecuted(trips);
            assertThat(asking.claim(claimed)).isInstanceOf(RecordResult.InFlight.class);
            assertExecuted(trips);
            assertThat(asking.claim(messages.key())).isInstanceOf(RecordResult.Written.class);
            assertExecuted(trips);
            assertThat(asking.claim(messages.key())).isInstanceOf(RecordResult.Written.class);
            assertExecuted(trips);
            assertThat(asking.claim(released)).isInstanceOf(RecordResult.Written.class);
            assertExecuted(instead);
            assertThat(asking.claim(running)).isInstanceOf(RecordResult.InFlight.class);
        }
    }

    @Test
    @DisplayName(
            "PostgreSQL: a new message takes one statement, a duplicate two, and one after two duplicates in a row,"
                    + " until two new messages have come")
    void singleOnPostgres() {
        database = TestDatabase.open(JdbcDialect.POSTGRESQL);
        Counting counting = new Counting(database.pool());
        JdbcDedupStore store = database.closing(database.builder(counting).build());
        JdbcTransactions transactions = store.transactions(new DataSourceTransactionManager(counting));
        DedupKey done = messages.key();
        Messages.done(store, done);
        DedupKey claimed = messages.key();
        Messages.acquire(store, claimed);
        DedupKey released = messages.key();
        Messages.released(store, released);
        try (Session asking = new Session(transactions);
                Session rival = new Session(transactions)) {
            DedupKey running = messages.key();
            rival.claim(running);
            executed.clear();
            for (int i = 0; i < 3; i++) { // a duplicate every now and then
                assertTrips(1, asking, messages.key(), RecordResult.Written.class);
                assertTrips(2, asking, done, RecordResult.Done.class);
                assertTrips(1, asking, messages.key(), RecordResult.Written.class);
            }
            assertTrips(2, asking, done, RecordResult.Done.class);
            assertTrips(2, asking, claimed, RecordResult.InFlight.class);
            assertTrips(1, asking, done, RecordResult.Done.class);
            assertTrips(1, asking, done, RecordResult.Done.class);
            assertTrips(2, asking, messages.key(), RecordResult.Written.class);
            assertTrips(2, asking, messages.key(), RecordResult.Written.class);
            assertTrips(1, asking, messages.key(), RecordResult.Written.class);
            assertTrips(3, asking, released, RecordResult.Written.class);
            assertTrips(3, asking, running, RecordResult.InFlight.class);
        }
    }

    private void assertTrips(int trips, Session asking, DedupKey key, Class<? extends RecordResult> answer) {
        assertThat(asking.claim(key)).isInstanceOf(answer);
        assertExecuted(trips);
    }

    @Test
    @DisplayName("PostgreSQL: batches of duplicates take one statement, from the third on")
    void batchesOfDuplicates() {
        database = TestDatabase.open(JdbcDialect.POSTGRESQL);
        Counting counting = new Counting(database.pool());
        JdbcDedupStore store = database.closing(database.builder(counting).build());
        JdbcTransactions transactions = store.transactions(new DataSourceTransactionManager(counting));
        List<DedupKey> done = List.of(messages.key(), messages.key(), messages.key());
        done.forEach(key -> Messages.done(store, key));
        try (Session asking = new Session(transactions)) {
            for (int trips : List.of(2, 2, 1, 1)) {
                executed.clear();
                assertThat(asking.claimAll(done)).hasOnlyElementsOfType(RecordResult.Done.class);
                assertExecuted(trips);
            }
            assertThat(asking.claimAll(List.of(done.get(0), messages.key())))
                    .extracting(Object::getClass)
                    .isEqualTo(List.of(RecordResult.Done.class, RecordResult.Written.class));
            assertExecuted(1);
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"POSTGRESQL, 2", "MARIADB, 18", "MYSQL, 40"})
    @DisplayName("one of a hundred is in flight: PostgreSQL asks once more for it, the others search for it by halves")
    void inFlight(JdbcDialect dialect, int most) {
        database = TestDatabase.open(dialect);
        Counting counting = new Counting(database.pool());
        JdbcDedupStore store = database.closing(database.builder(counting).build());
        JdbcTransactions transactions = store.transactions(new DataSourceTransactionManager(counting));
        List<DedupKey> keys =
                IntStream.range(0, 100).mapToObj(i -> messages.key()).toList();
        try (Session rival = new Session(transactions);
                Session asking = new Session(transactions)) {
            rival.claim(keys.get(42));
            executed.clear();
            assertThat(asking.claimAll(keys).stream().filter(RecordResult.InFlight.class::isInstance))
                    .hasSize(1);
            assertThat(executed).hasSizeBetween(1, most);
        }
    }

    @Test
    @DisplayName(
            "on MariaDB a record alone doesn't write the log before its transaction ends, as INSERT ... SELECT does")
    void logWrites() {
        server = MariaDbServers.builder().start();
        database = TestDatabase.of(JdbcDialect.MARIADB, server.newDatabase());
        HikariDataSource pool = database.pool();
        JdbcTemplate jdbc = new JdbcTemplate(pool);
        JdbcDedupStore store = database.closing(database.builder(pool).build());
        RecordTransaction transaction =
                store.transactions(new DataSourceTransactionManager(pool)).begin(Session.TIMEOUT);
        long before = logWrites(jdbc);
        for (int i = 0; i < 100; i++) {
            transaction.claimAll(List.of(Session.request(messages.key())));
        }
        assertThat(logWrites(jdbc) - before).isLessThan(50); // the server itself writes once a second
        transaction.rollback();
    }

    /** What the first of these takes in its session: it gives the statement a name. */
    private static int prepared(JdbcDialect dialect) {
        return dialect == JdbcDialect.MARIADB ? 1 : 0;
    }

    private static long logWrites(JdbcTemplate jdbc) {
        Long writes = jdbc.queryForObject(
                "SELECT CAST(variable_value AS SIGNED) FROM information_schema.global_status"
                        + " WHERE variable_name = 'Innodb_log_writes'",
                Long.class);
        return Objects.requireNonNull(writes);
    }

    private void assertExecuted(int statements) {
        assertThat(executed).hasSize(statements);
        executed.clear();
    }
}
