package io.dedup.store.jdbc.internal.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.jdbc.JdbcDialect;
import io.dedup.store.jdbc.JdbcTransactions;
import io.dedup.store.jdbc.support.Messages;
import io.dedup.store.jdbc.support.Session;
import io.dedup.store.jdbc.support.TestDatabase;
import io.dedup.store.transaction.RecordResult;
import io.dedup.store.transaction.RecordTransaction;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/** PostgreSQL keeps the plan of a prepared statement, made when the table was nearly empty, until statistics change. */
class PlanTest {
    /** The driver prepares the 5th time, the server keeps a plan after 5 more; on each of two connections. */
    private static final int PREPARED = 30;

    private static final int ROWS = 20_000;

    private final Messages messages = new Messages();

    @Test
    @DisplayName("statements that were planned on an empty table don't read all of it when it has grown")
    void plannedWhenEmpty() {
        try (TestDatabase database = TestDatabase.open(JdbcDialect.POSTGRESQL)) {
            HikariDataSource pool = database.pool(config -> config.setMaximumPoolSize(2));
            JdbcDedupStore store = database.closing(database.builder(pool).build());
            JdbcTransactions transactions = store.transactions(new DataSourceTransactionManager(pool));
            // Autovacuum would make new plans when it comes by, which is a minute too late.
            database.execute("ALTER TABLE dedup_record SET (autovacuum_enabled = off)");
            for (int i = 0; i < PREPARED; i++) {
                oneOfEach(store, transactions);
            }
            database.execute("INSERT INTO dedup_record (message_id, scope, state, attempt, deaths, token, lease_until,"
                    + " expires_at, completed_at) SELECT decode(md5(i::text), 'hex'), 'scope', 4, 1, 0, 1, 0,"
                    + " 9000000000000000, 1 FROM generate_series(1, " + ROWS + ") i");
            long before = read(database, "seq_tup_read");
            long index = read(database, "idx_scan");

            oneOfEach(store, transactions);

            await().untilAsserted(
                            () -> // a session tells of what it read once a second
                            assertThat(read(database, "idx_scan")).isGreaterThan(index + 2));
            oneOfEach(store, transactions);
            await().untilAsserted(() -> assertThat(read(database, "idx_scan")).isGreaterThan(index + 15));
            assertThat(read(database, "seq_tup_read") - before).isLessThan(ROWS);
        }
    }

    private static long read(TestDatabase database, String column) {
        return database.count("SELECT " + column + " FROM pg_stat_user_tables WHERE relname = 'dedup_record'");
    }

    private void oneOfEach(JdbcDedupStore store, JdbcTransactions transactions) {
        List<ClaimRequest> claims = Messages.acquireAll(store, messages.claims(6));
        List<ClaimRequest> done = claims.subList(0, 3);
        assertThat(store.renew(claims.stream().map(Messages::renew).toList())).containsOnly(WriteResult.applied());
        assertThat(store.complete(done.stream().map(Messages::complete).toList()))
                .containsOnly(WriteResult.applied());
        assertThat(store.release(
                        claims.subList(3, 6).stream().map(Messages::release).toList()))
                .containsOnly(WriteResult.applied());
        List<ClaimRequest> again = new ArrayList<>(Messages.again(done));
        again.addAll(messages.claims(1));
        assertThat(store.claim(again))
                .filteredOn(ClaimResult.AlreadyDone.class::isInstance)
                .hasSize(3);
        Messages.done(store, messages.key());
        Messages.only(store.claim(List.of(Messages.claim(done.get(0).key()))));
        RecordTransaction transaction = transactions.beginWithRecords(Session.TIMEOUT);
        assertThat(transaction.claimAll(List.of(Session.request(done.get(0).key()))))
                .hasOnlyElementsOfType(RecordResult.Done.class);
        for (int records : new int[] {1, 1, 6}) { // the first as after a duplicate, the second as after a new one
            assertThat(transaction.claimAll(Stream.generate(() -> Session.request(messages.key()))
                            .limit(records)
                            .toList()))
                    .hasOnlyElementsOfType(RecordResult.Written.class);
        }
        transaction.rollback();
    }
}
