package io.dedup.store.jdbc.internal.purge;

import static io.dedup.store.jdbc.support.Messages.acquireAll;
import static io.dedup.store.jdbc.support.Messages.assertAcquired;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.policy.Window;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.jdbc.JdbcDialect;
import io.dedup.store.jdbc.support.Messages;
import io.dedup.store.jdbc.support.OnEachDatabase;
import io.dedup.store.jdbc.support.Rival;
import io.dedup.store.jdbc.support.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is removed, how much at a time, and who is kept waiting: nobody. */
@SuppressWarnings("try") // a rival only has to be there
class PurgeTest {
    /** On a busy machine the purge in the background makes pauses of up to 10 seconds. */
    private static final Duration BUSY = Duration.ofMinutes(3);

    private static final String ALL = "SELECT count(*) FROM dedup_record";

    /** PostgreSQL's purge goes by the hour, and comes to a record some hours after its end. */
    private static final Duration LAG = Duration.ofHours(4);

    private static final Duration EXPIRED = Messages.WINDOW.duration().plus(LAG);

    private final Messages messages = new Messages();
    private TestDatabase database;
    private JdbcDedupStore store;

    private void start(JdbcDialect dialect) {
        database = TestDatabase.open(dialect);
        store = database.closing(database.builder()
                .purgeBatch(50)
                .attemptRetention(Duration.ofDays(2))
                .build());
    }

    @AfterEach
    void stop() {
        database.close();
    }

    private List<ClaimRequest> done(int count, Window window) {
        List<ClaimRequest> requests = acquireAll(store, messages.claims(count));
        assertThat(store.complete(requests.stream()
                        .map(request ->
                                new CompleteRequest(new Claim(request.key(), request.owner(), 1), window, null, false))
                        .toList()))
                .allMatch(answer -> answer.isApplied());
        return requests;
    }

    @OnEachDatabase
    @DisplayName("S6 a purge removes as many expired records as it is told to, in batches, and no others")
    void bounded(JdbcDialect dialect) {
        start(dialect);
        done(120, Messages.WINDOW);
        List<ClaimRequest> longer = done(10, Window.of(Duration.ofDays(1)));
        List<ClaimRequest> forever = done(10, Window.forever());
        assertThat(store.purgeExpired(1_000)).isZero();

        database.age(EXPIRED);

        assertThat(store.purgeExpired(0)).isZero();
        assertThat(store.purgeExpired(70)).isEqualTo(70);
        assertThat(database.count(ALL)).isEqualTo(70);
        assertThat(store.purgeExpired(1_000)).isEqualTo(50);
        assertThat(store.claim(Messages.again(longer))).hasOnlyElementsOfType(ClaimResult.AlreadyDone.class);
        database.age(Duration.ofDays(36_500));
        assertThat(store.purgeExpired(1_000)).isEqualTo(10);
        assertThat(store.claim(Messages.again(forever))).hasOnlyElementsOfType(ClaimResult.AlreadyDone.class);
    }

    @OnEachDatabase
    @DisplayName("S6 attempts outlive their lease or release by the attempt retention, and no longer")
    void retention(JdbcDialect dialect) {
        start(dialect);
        List<ClaimRequest> abandoned = acquireAll(store, messages.claims(2));
        List<ClaimRequest> released = messages.claims(2).stream()
                .map(ClaimRequest::key)
                .map(key -> Messages.released(store, key))
                .toList();

        database.age(Duration.ofDays(2).minusSeconds(30)); // the abandoned ones had a minute's lease besides
        assertThat(store.purgeExpired(100)).isZero();
        assertAcquired(
                Messages.only(store.claim(List.of(Messages.claim(released.get(0).key())))), 2);
        assertAcquired(
                Messages.only(
                        store.claim(List.of(Messages.claim(abandoned.get(0).key())))),
                2);

        database.age(LAG.plusSeconds(90));
        assertThat(store.purgeExpired(100)).as("the two not claimed again").isEqualTo(2);
        assertThat(database.count(ALL)).isEqualTo(2);
        assertAcquired(
                Messages.only(
                        store.claim(List.of(Messages.claim(abandoned.get(1).key())))),
                1);
    }

    @OnEachDatabase
    @DisplayName("S6 claims go on during a purge, of the very records that it removes, too")
    void claimsGoOn(JdbcDialect dialect) throws Exception {
        start(dialect);
        List<ClaimRequest> expired = done(1_000, Messages.WINDOW);
        database.age(EXPIRED);
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            Future<Integer> purge = thread.submit(() -> store.purgeExpired(10_000));
            List<ClaimRequest> again = Messages.again(expired);
            for (int from = 0; from < again.size(); from += 20) {
                assertThat(store.claim(again.subList(from, from + 20))).allSatisfy(answer -> assertAcquired(answer, 1));
            }
            purge.get(1, TimeUnit.MINUTES);
            store.purgeExpired(10_000);

            assertThat(store.claim(Messages.again(expired)))
                    .as("no claim was purged")
                    .hasOnlyElementsOfType(ClaimResult.InFlight.class);
        } finally {
            thread.shutdownNow();
        }
    }

    /** The generic one cannot skip: it fails after the lock timeout, and the next run goes on. */
    @ParameterizedTest(name = "{0}")
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "GENERIC")
    @DisplayName("S6 a purge leaves a locked record for the next time, and claims don't notice")
    void lockedRecord(JdbcDialect dialect) throws SQLException {
        start(dialect);
        List<ClaimRequest> expired = done(5, Messages.WINDOW);
        database.age(EXPIRED);

        try (Rival rival = Rival.locking(database, expired.get(2).key())) {
            assertThat(store.purgeExpired(100)).isEqualTo(4);
        }

        assertThat(store.purgeExpired(100)).isEqualTo(1);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "GENERIC")
    @DisplayName("S6 what is locked when a purge passes by it is removed at its end")
    void lockedAtFirst(JdbcDialect dialect) throws SQLException {
        start(dialect);
        JdbcDedupStore purging =
                database.closing(database.builder().purgeBatch(2).build());
        List<ClaimRequest> first = done(1, Messages.WINDOW);
        for (int i = 0; i < 9; i++) {
            done(1, Messages.WINDOW); // each expires at a time of its own
        }
        database.age(EXPIRED);

        try (Rival rival = Rival.locking(database, first.get(0).key())) {
            assertThat(purging.purgeExpired(6)).isEqualTo(6);
        }

        assertThat(purging.purgeExpired(100)).isEqualTo(4);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(names = {"MARIADB", "MYSQL"})
    @DisplayName("S6 a purge doesn't pass again by what it has removed and the database hasn't cleaned up yet")
    void passesBy(JdbcDialect dialect) throws SQLException {
        start(dialect);
        database.execute("INSERT INTO dedup_record (message_id, scope, state, attempt, deaths, token, lease_until,"
                + " expires_at, completed_at) SELECT md5(seq), 'scope', 4, 1, 0, 1, 0, seq, 1 FROM seq_1_to_20000");
        try (Connection reader = database.connect();
                Statement view = reader.createStatement()) {
            view.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT"); // until its end nothing is cleaned up
            long first = leastPagesReadByAPurgeOf50();
            assertThat(store.purgeExpired(10_000)).isEqualTo(10_000);

            assertThat(leastPagesReadByAPurgeOf50()).isLessThan(3 * first);
        }
    }

    /** Other tests use the server, too, and its count is of all: the least of many tries is ours alone. */
    private long leastPagesReadByAPurgeOf50() {
        return LongStream.generate(this::pagesReadByAPurgeOf50).limit(25).min().orElseThrow();
    }

    private long pagesReadByAPurgeOf50() {
        String pages = "SELECT variable_value FROM information_schema.global_status"
                + " WHERE variable_name = 'INNODB_BUFFER_POOL_READ_REQUESTS'";
        long before = database.count(pages);
        assertThat(store.purgeExpired(50)).isEqualTo(50);
        return database.count(pages) - before;
    }

    @OnEachDatabase
    @DisplayName("S6 the purge in the background goes on after a failure, and ends with the store")
    void background(JdbcDialect dialect) {
        start(dialect);
        done(60, Messages.WINDOW);
        database.age(EXPIRED);
        JdbcDedupStore purging = database.closing(database.builder()
                .purgeBatch(7)
                .purgeInterval(Duration.ofMillis(100))
                .build());
        await().atMost(BUSY).untilAsserted(() -> assertThat(database.count(ALL)).isZero());

        database.execute("ALTER TABLE dedup_record RENAME TO elsewhere");
        await().pollDelay(Duration.ofMillis(300)).until(() -> true); // for at least one run to fail
        database.execute("ALTER TABLE elsewhere RENAME TO dedup_record");
        done(10, Messages.WINDOW);
        database.age(EXPIRED);
        await().atMost(BUSY).untilAsserted(() -> assertThat(database.count(ALL)).isZero());

        purging.close();
        assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(thread -> thread.getName().equals("dedup-purge-dedup_record"))
                .allSatisfy(thread -> await().until(() -> !thread.isAlive()));
    }
}
