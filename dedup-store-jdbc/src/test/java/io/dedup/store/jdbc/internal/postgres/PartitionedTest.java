package io.dedup.store.jdbc.internal.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupKey;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.jdbc.JdbcDialect;
import io.dedup.store.jdbc.internal.sql.Micros;
import io.dedup.store.jdbc.support.Messages;
import io.dedup.store.jdbc.support.Rival;
import io.dedup.store.jdbc.support.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * PostgreSQL's table in partitions: a selection, since the whole contract, which it passes, takes a minute more. Whoever
 * changes a statement may run that by a class like {@code PostgresStoreContractTest} with {@link TestDatabase#createPartitioned}.
 */
@SuppressWarnings("try") // a rival only has to be there
class PartitionedTest {
    private static final Pattern READ =
            Pattern.compile("(?:Scan|Scan using \\S+) on (dedup_record_p\\d\\d)[^\\n]*\\n?");

    private final Messages messages = new Messages();
    private TestDatabase database;
    private JdbcDedupStore store;

    @BeforeEach
    void start() {
        database = TestDatabase.open(JdbcDialect.POSTGRESQL);
        database.createPartitioned();
        store = database.store();
    }

    @AfterEach
    void stop() {
        database.close();
    }

    private void fill(int records) {
        database.execute(
                "INSERT INTO dedup_record (message_id, scope, state, attempt, deaths, token, lease_until, expires_at,"
                        + " completed_at, purge_hour) SELECT decode(md5(i::text), 'hex'), 'scope', 4, 1, 0, 1, 0, "
                        + Micros.NEVER + ", 1, 2147483646 FROM generate_series(1, " + records + ") i",
                "ANALYZE dedup_record");
    }

    @Test
    @DisplayName("the store takes the partitioned table for its own, all of it, and the records are spread over it")
    void spread() {
        Messages.acquireAll(store, messages.claims(500));
        assertThat(database.count("SELECT count(DISTINCT tableoid) FROM dedup_record"))
                .isEqualTo(16);
        assertThat(database.count("SELECT count(*) FROM pg_class WHERE relname = 'dedup_record' AND relkind = 'p'"))
                .isEqualTo(1);
    }

    @Test
    @DisplayName("claims, renewals, releases, completions and takeovers go on as they do on one table")
    void everyOperation() {
        List<ClaimRequest> claims = Messages.acquireAll(store, messages.claims(100));
        assertThat(store.claim(Messages.again(claims))).hasOnlyElementsOfType(ClaimResult.InFlight.class);
        assertThat(store.claim(claims)).hasOnlyElementsOfType(ClaimResult.Acquired.class);
        assertThat(store.renew(claims.stream().map(Messages::renew).toList())).containsOnly(WriteResult.applied());
        assertThat(store.release(
                        claims.subList(0, 50).stream().map(Messages::release).toList()))
                .containsOnly(WriteResult.applied());
        assertThat(store.complete(
                        claims.subList(50, 90).stream().map(Messages::complete).toList()))
                .containsOnly(WriteResult.applied());
        database.age(Messages.LEASE.plusSeconds(1));

        assertThat(store.claim(Messages.again(claims.subList(0, 50))))
                .allSatisfy(answer -> Messages.assertAcquired(answer, 2));
        assertThat(store.claim(Messages.again(claims.subList(50, 90))))
                .hasOnlyElementsOfType(ClaimResult.AlreadyDone.class);
        assertThat(store.claim(Messages.again(claims.subList(90, 100))))
                .allSatisfy(answer -> Messages.assertAcquired(answer, 2));
        assertThat(store.complete(
                        claims.subList(90, 100).stream().map(Messages::complete).toList()))
                .containsOnly(WriteResult.leaseLost());
    }

    @Test
    @DisplayName("of many claims of one message at a time one wins")
    void oneWinner() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            for (int i = 0; i < 100; i++) {
                DedupKey key = messages.key();
                Callable<ClaimResult> claim = () -> Messages.only(store.claim(List.of(Messages.claim(key))));
                int winners = 0;
                for (Future<ClaimResult> answer : threads.invokeAll(List.of(claim, claim, claim, claim))) {
                    winners += answer.get() instanceof ClaimResult.Acquired ? 1 : 0;
                }
                assertThat(winners).isEqualTo(1);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    @DisplayName("a single claim reads one partition")
    void onePartition() throws SQLException {
        fill(32_000);
        byte[] messageId = "new".getBytes(StandardCharsets.UTF_8);

        String plan = Plans.ofClaim(database, messageId);

        assertThat(READ.matcher(plan)
                        .results()
                        .filter(match -> !match.group().contains("never executed"))
                        .map(match -> match.group(1))
                        .distinct())
                .as(plan)
                .hasSize(1);
        assertThat(plan).doesNotContain("Seq Scan on dedup_record");
    }

    @Test
    @DisplayName("S6 a purge finds what is due by the partitions' indexes, skips what is locked, and is bounded")
    void purge() throws SQLException {
        List<ClaimRequest> requests = Messages.acquireAll(store, messages.claims(1_300));
        assertThat(store.complete(requests.stream().map(Messages::complete).toList()))
                .allMatch(answer -> answer.isApplied());
        database.age(Duration.ofHours(5));
        fill(32_000);
        DedupKey locked = requests.get(0).key();
        try (Rival rival = Rival.locking(database, locked)) {
            assertThat(store.purgeExpired(100)).isEqualTo(100);
            assertThat(Plans.ofDue(database))
                    .contains("Index Cond: (purge_hour <=")
                    .doesNotContain("Seq Scan on dedup_record");
            assertThat(Plans.ofPurge(database)) // 1,000 of them, the locked one perhaps among them
                    .contains("Tid Scan on dedup_record")
                    .doesNotContain("Seq Scan on dedup_record");
            long left = database.count("SELECT count(*) FROM dedup_record") - 32_000;
            assertThat(store.purgeExpired(10_000)).isEqualTo((int) left - 1);
        }
        assertThat(store.purgeExpired(10_000)).isEqualTo(1);
        assertThat(database.count("SELECT count(*) FROM dedup_record")).isEqualTo(32_000);
    }
}
