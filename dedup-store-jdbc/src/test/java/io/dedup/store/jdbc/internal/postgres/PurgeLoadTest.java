package io.dedup.store.jdbc.internal.postgres;

import static io.dedup.store.jdbc.support.Messages.acquireAll;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.policy.Window;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.jdbc.JdbcDialect;
import io.dedup.store.jdbc.internal.sql.Micros;
import io.dedup.store.jdbc.support.Messages;
import io.dedup.store.jdbc.support.OnServers;
import io.dedup.store.jdbc.support.Rival;
import io.dedup.store.jdbc.support.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Several purges side by side, at whatever level the pool's connections are, while claims go on. */
class PurgeLoadTest {
    private static final String ALL = "SELECT count(*) FROM dedup_record";
    /** Until PostgreSQL's purge, which goes by the hour, comes to a record. */
    private static final Duration LONG = Messages.WINDOW.duration().plus(Duration.ofHours(4));

    private static final int PURGERS = 4;
    private static final int EXPIRED = 6_000;

    private final Messages messages = new Messages();
    private TestDatabase database;

    @AfterEach
    void stop() {
        database.close();
    }

    private JdbcDedupStore store(String isolation) {
        HikariDataSource pool = database.pool(config -> config.setTransactionIsolation(isolation));
        return database.closing(database.builder(pool).purgeBatch(100).build());
    }

    private static List<ClaimRequest> done(JdbcDedupStore store, List<ClaimRequest> claims, Window window) {
        List<ClaimRequest> requests = acquireAll(store, claims);
        assertThat(store.complete(requests.stream()
                        .map(request ->
                                new CompleteRequest(new Claim(request.key(), request.owner(), 1), window, null, false))
                        .toList()))
                .allMatch(answer -> answer.isApplied());
        return requests;
    }

    @OnServers
    @DisplayName("S6 purges side by side with claims of live and of expired records: no error, nothing live removed")
    void sideBySide(JdbcDialect dialect) throws Exception {
        database = TestDatabase.open(dialect);
        JdbcDedupStore claiming = database.store();
        List<ClaimRequest> expired = done(claiming, messages.claims(EXPIRED), Messages.WINDOW);
        database.age(Duration.ofHours(5));
        List<ClaimRequest> live = done(claiming, messages.claims(1_000), Messages.WINDOW);
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            List<Callable<Integer>> purges = new ArrayList<>();
            for (int i = 0; i < PURGERS; i++) {
                JdbcDedupStore purging = store("TRANSACTION_REPEATABLE_READ");
                purges.add(() -> purging.purgeExpired(Integer.MAX_VALUE));
            }
            List<Future<Integer>> purged = new ArrayList<>();
            purges.forEach(purge -> purged.add(threads.submit(purge)));
            List<ClaimRequest> again = Messages.again(expired.subList(EXPIRED / 2, EXPIRED));
            Future<?> batches = threads.submit(() -> {
                for (int from = 0; from < again.size() / 2; from += 50) {
                    assertThat(claiming.claim(again.subList(from, from + 50)))
                            .hasOnlyElementsOfType(ClaimResult.Acquired.class);
                }
            });
            for (int i = 0; i < 500; i++) {
                assertThat(Messages.only(claiming.claim(
                                List.of(Messages.claim(live.get(i).key())))))
                        .isInstanceOf(ClaimResult.AlreadyDone.class);
                assertThat(Messages.only(claiming.claim(List.of(again.get(again.size() / 2 + i)))))
                        .isInstanceOf(ClaimResult.Acquired.class);
            }
            batches.get(1, TimeUnit.MINUTES);
            for (Future<Integer> purge : purged) {
                purge.get(1, TimeUnit.MINUTES);
            }
        } finally {
            threads.shutdownNow();
        }
        claiming.purgeExpired(Integer.MAX_VALUE); // what was locked

        int claimedAgain = EXPIRED / 4 + 500;
        assertThat(database.count(ALL)).isEqualTo(live.size() + claimedAgain);
        assertThat(claiming.claim(Messages.again(live))).hasOnlyElementsOfType(ClaimResult.AlreadyDone.class);
        assertThat(claiming.claim(Messages.again(expired)))
                .filteredOn(ClaimResult.InFlight.class::isInstance)
                .hasSize(claimedAgain);
    }

    @OnServers
    @DisplayName("S6 a purge runs at READ COMMITTED, and leaves the connection as it was")
    void readCommitted(JdbcDialect dialect) throws SQLException {
        database = TestDatabase.open(dialect);
        HikariDataSource pool = database.pool(config -> {
            config.setMaximumPoolSize(1);
            config.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
        });
        JdbcDedupStore store = database.closing(database.builder(pool).build());
        done(store, messages.claims(3), Messages.WINDOW);
        database.age(Duration.ofHours(5));
        if (database.isPostgres()) {
            database.execute(
                    "CREATE TABLE seen (level text)",
                    "CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                            + " INSERT INTO seen VALUES (current_setting('transaction_isolation')); RETURN OLD; END $$",
                    "CREATE TRIGGER tell BEFORE DELETE ON dedup_record FOR EACH ROW EXECUTE FUNCTION tell()");
        } else {
            database.execute(
                    "CREATE TABLE seen (level text)",
                    // Not from innodb_trx: that is as old as the last one who asked.
                    "CREATE TRIGGER tell BEFORE DELETE ON dedup_record FOR EACH ROW INSERT INTO seen"
                            + " VALUES (REPLACE(@@session.transaction_isolation, '-', ' '))");
        }

        assertThat(store.purgeExpired(100)).isEqualTo(3);

        assertThat(database.count("SELECT count(*) FROM seen WHERE lower(level) = 'read committed'"))
                .isEqualTo(3);
        try (Connection connection = pool.getConnection()) {
            assertThat(connection.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
        }
    }

    @Test
    @DisplayName("S6 a purge looks at no record that never expires: PostgreSQL finds what is due by the index")
    void forever() throws SQLException {
        database = TestDatabase.open(JdbcDialect.POSTGRESQL);
        JdbcDedupStore store = database.store();
        done(store, messages.claims(20), Messages.WINDOW);
        database.age(Duration.ofHours(5));
        database.execute(
                "INSERT INTO dedup_record (message_id, scope, state, attempt, deaths, token, lease_until, expires_at,"
                        + " completed_at, purge_hour) SELECT decode(md5(i::text), 'hex'), 'scope', 4, 1, 0, 1, 0, "
                        + Micros.NEVER + ", 1, 2147483646 FROM generate_series(1, 50000) i",
                "VACUUM ANALYZE dedup_record");

        assertThat(Plans.ofDue(database))
                .contains("Index Cond: (purge_hour <=")
                .doesNotContain("Filter: (purge_hour")
                .doesNotContain("Seq Scan on dedup_record");
        assertThat(Plans.ofPurge(database))
                .contains("Tid Scan on dedup_record")
                .doesNotContain("Seq Scan on dedup_record");
        assertThat(database.count(ALL)).as("what EXPLAIN ANALYZE purged").isEqualTo(50_000);
    }

    @Test
    @DisplayName("S6 what was released is purged after the attempt retention, also where the window has no end")
    void releasedBesideForever() {
        database = TestDatabase.open(JdbcDialect.POSTGRESQL);
        JdbcDedupStore store = database.store();
        done(store, messages.claims(1), Window.forever());
        Messages.released(store, messages.claims(1).get(0).key());
        long hours = 24 * 10;
        database.execute("UPDATE dedup_record SET lease_until = lease_until - " + hours * 3_600_000_000L
                + ", expires_at = expires_at - " + hours * 3_600_000_000L + ", purge_hour = purge_hour - " + hours
                + " WHERE state = 0"); // as time does; age() would set the hour anew

        assertThat(store.purgeExpired(100)).isEqualTo(1);
        assertThat(database.count(ALL)).isEqualTo(1);
    }

    @Test
    @DisplayName("S6 what a purge has seen and somebody has claimed again by now isn't removed")
    void claimedAgain() throws SQLException {
        database = TestDatabase.open(JdbcDialect.POSTGRESQL);
        JdbcDedupStore store = database.store();
        List<ClaimRequest> requests = done(store, messages.claims(30), Messages.WINDOW);
        database.age(LONG);
        assertThat(store.purgeExpired(3)).isEqualTo(3); // and it has seen the others
        List<ClaimRequest> again = Messages.again(requests.subList(20, 30));
        assertThat(store.claim(again)).hasOnlyElementsOfType(ClaimResult.Acquired.class);

        assertThat(store.purgeExpired(100)).isBetween(17, 20);
        assertThat(database.count(ALL)).isEqualTo(10);
    }

    @Test
    @DisplayName("S6 a record in the place of one that a purge has seen isn't removed")
    void placesOfOthers() throws SQLException {
        database = TestDatabase.open(JdbcDialect.POSTGRESQL);
        JdbcDedupStore store = database.store();
        done(store, messages.claims(10), Messages.WINDOW);
        database.age(LONG);
        database.execute("CREATE TABLE seen AS SELECT ctid AS place FROM dedup_record");
        assertThat(store.purgeExpired(3)).isEqualTo(3); // and it has seen the others
        database.execute("TRUNCATE dedup_record", "ALTER TABLE dedup_record SET (fillfactor = 100)");
        acquireAll(store, messages.claims(200));
        assertThat(database.count("SELECT count(*) FROM dedup_record WHERE ctid IN (SELECT place FROM seen)"))
                .as("places are used again")
                .isEqualTo(10);

        assertThat(store.purgeExpired(100)).isZero();
        assertThat(database.count(ALL)).isEqualTo(200);
        database.age(Duration.ofDays(400));
        assertThat(store.purgeExpired(1_000)).as("what expires after the look").isEqualTo(200);
    }

    @Test
    @DisplayName("S6 a purge that finds nothing but locked records ends, and comes to them the next time")
    void allLocked() throws SQLException {
        database = TestDatabase.open(JdbcDialect.POSTGRESQL);
        JdbcDedupStore store = database.closing(database.builder().purgeBatch(2).build());
        List<ClaimRequest> requests = done(store, messages.claims(50), Messages.WINDOW);
        database.age(LONG);
        try (Rival rival =
                Rival.locking(database, requests.stream().map(ClaimRequest::key).toList())) {
            assertThat(store.purgeExpired(100)).isZero();
            assertThat(store.purgeExpired(100)).isZero();
        }
        assertThat(store.purgeExpired(100)).isEqualTo(50);
    }
}
