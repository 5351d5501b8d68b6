package io.dedup.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.dedup.DedupKey;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.StoredRecord;
import io.dedup.store.jdbc.internal.sql.Micros;
import io.dedup.store.jdbc.support.Messages;
import io.dedup.store.jdbc.support.OnEachDatabase;
import io.dedup.store.jdbc.support.OnServers;
import io.dedup.store.jdbc.support.Rival;
import io.dedup.store.jdbc.support.TestDatabase;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;

/** Whose time it is, and when it is read. */
class ClockTest {
    private final Messages messages = new Messages();

    @OnEachDatabase
    @DisplayName("S7 sessions half a day apart in their time zones agree on leases and windows")
    void timeZones(JdbcDialect dialect) {
        try (TestDatabase database = TestDatabase.open(dialect)) {
            JdbcDedupStore east = inZone(database, 13);
            JdbcDedupStore west = inZone(database, -11);
            for (JdbcDedupStore[] pair : new JdbcDedupStore[][] {{east, west}, {west, east}}) {
                DedupKey key = messages.key();
                ClaimRequest claim = Messages.acquire(pair[0], key);
                assertThat(Messages.only(pair[1].claim(List.of(Messages.claim(key)))))
                        .isInstanceOfSatisfying(
                                ClaimResult.InFlight.class,
                                answer -> assertThat(answer.remaining())
                                        .isBetween(Messages.LEASE.dividedBy(2), Messages.LEASE));
                assertThat(Messages.only(pair[1].complete(List.of(Messages.complete(claim))))
                                .isApplied())
                        .isTrue();

                StoredRecord record = pair[0].find(key).orElseThrow();
                assertThat(pair[1].find(key)).contains(record);
                assertThat(record.completedAt()).isCloseTo(Instant.now(), within(1, ChronoUnit.MINUTES));
                assertThat(record.expiresAt())
                        .isCloseTo(
                                record.completedAt().plus(Messages.WINDOW.duration()), within(1, ChronoUnit.SECONDS));
                assertThat(pair[1].purgeExpired(10)).isZero();
            }
        }
    }

    private static JdbcDedupStore inZone(TestDatabase database, int hours) {
        String sql = switch (database.dialect()) {
            case POSTGRESQL -> "SET TIME ZONE " + hours;
            case MARIADB, MYSQL -> "SET time_zone = '" + (hours < 0 ? "" : "+") + hours + ":00'";
            case H2, GENERIC -> "SET TIME ZONE '" + (hours < 0 ? "" : "+") + hours + ":00'";
        };
        return database.closing(database.builder(database.pool(config -> config.setConnectionInitSql(sql)))
                .build());
    }

    /** H2 and the generic dialect read the time before: leases and windows end earlier by the wait, never later. */
    @OnServers
    @DisplayName("S7 a lease begins after the wait for a lock, not before")
    void afterLockWait(JdbcDialect dialect) throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (TestDatabase database = TestDatabase.open(dialect)) {
            JdbcDedupStore store = database.patientStore();
            DedupKey key = messages.key();
            Messages.released(store, key);

            long waiting;
            Future<ClaimResult> answer;
            try (Rival rival = Rival.locking(database, key)) {
                answer = thread.submit(() -> Messages.only(store.claim(List.of(Messages.claim(key)))));
                database.awaitBlocked();
                waiting = rival.now(); // the claim's statement has begun before this
            }

            assertThat(answer.get(30, TimeUnit.SECONDS))
                    .isInstanceOfSatisfying(
                            ClaimResult.Acquired.class,
                            acquired -> assertThat(acquired.fencingToken()).isGreaterThanOrEqualTo(waiting));
            assertThat(database.count("SELECT lease_until FROM dedup_record") - Micros.of(Messages.LEASE))
                    .isGreaterThanOrEqualTo(waiting);
        } finally {
            thread.shutdownNow();
        }
    }
}
