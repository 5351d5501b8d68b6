package io.dedup.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.jdbc.internal.schema.SchemaScript;
import io.dedup.store.jdbc.internal.sql.KeyFormat;
import io.dedup.store.jdbc.internal.sql.TableName;
import io.dedup.store.jdbc.support.Messages;
import io.dedup.store.jdbc.support.OnServers;
import io.dedup.store.jdbc.support.Rival;
import io.dedup.store.jdbc.support.Scene;
import io.dedup.store.jdbc.support.Session;
import io.dedup.store.jdbc.support.TestDatabase;
import io.dedup.store.transaction.CommitResult;
import io.dedup.store.transaction.RecordResult;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tables with digests in place of message IDs. The published contract runs on them as well. */
class DigestTableTest {
    private static final RecordResult IN_FLIGHT = new RecordResult.InFlight(Duration.ZERO);

    private final Messages messages = new Messages();

    private static JdbcDedupStore digests(TestDatabase database) {
        return database.closing(
                database.builder().keyFormat(JdbcKeyFormat.DIGEST).build());
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "GENERIC")
    @DisplayName("a row has 14 bytes and no text of its message; each command finds it by its ID and scope")
    void stored(JdbcDialect dialect) {
        try (TestDatabase database = TestDatabase.open(dialect)) {
            JdbcDedupStore store = digests(database);
            DedupKey key = messages.key("order-of-a-customer-with-a-long-name");
            DedupKey elsewhere = DedupScope.of("jdbc-tests", "payments").key(key.messageId());
            Messages.done(store, key);

            assertThat(Messages.only(store.claim(List.of(Messages.claim(key)))))
                    .isInstanceOf(ClaimResult.AlreadyDone.class);
            Messages.acquire(store, elsewhere);
            assertThat(database.count("SELECT count(*) FROM dedup_record WHERE octet_length(message_id) = 14"
                            + " AND octet_length(scope) = 0"))
                    .isEqualTo(2);
            assertThat(store.find(key)).isPresent();
            assertThat(store.forget(key, LiveLease.RESPECT)).isEqualTo(OperatorResult.APPLIED);
            assertThat(store.find(key)).isEmpty();
            assertThat(store.forceDone(key, Messages.WINDOW, LiveLease.RESPECT)).isEqualTo(OperatorResult.APPLIED);
            assertThat(Messages.only(store.claim(List.of(Messages.claim(key)))))
                    .isInstanceOf(ClaimResult.AlreadyDone.class);
            assertThat(store.forget(elsewhere, LiveLease.RESPECT)).isEqualTo(OperatorResult.LEASE_LIVE);
        }
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "GENERIC")
    @DisplayName("a table of the other format is refused, with the setting and the column that tells")
    void otherFormat(JdbcDialect dialect) {
        try (TestDatabase database = TestDatabase.open(dialect)) {
            digests(database);
            assertThatThrownBy(database.builder()::build)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("Table dedup_record was created for digests of message IDs (it has the column"
                            + " key_digest), but keyFormat is PLAIN. Set keyFormat to DIGEST")
                    .hasMessageContaining(dialect.schemaResource());
            database.execute("DROP TABLE dedup_record");
            database.store();
            assertThatThrownBy(database.builder().keyFormat(JdbcKeyFormat.DIGEST)::build)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("it lacks the column key_digest")
                    .hasMessageContaining("-digest.sql");
        }
    }

    @Test
    @DisplayName("digests aren't available with the generic dialect")
    void generic() {
        try (TestDatabase database = TestDatabase.open(JdbcDialect.GENERIC)) {
            assertThatThrownBy(database.builder().keyFormat(JdbcKeyFormat.DIGEST)::build)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("keyFormat DIGEST is not available with dialect GENERIC");
        }
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @DisplayName("of two processes that create the table at the same time with different formats, one fails")
    void createdTwice(JdbcDialect dialect) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try (TestDatabase database = TestDatabase.open(dialect)) {
            for (int i = 0; i < 5; i++) {
                List<Callable<JdbcDedupStore>> starts = Stream.of(JdbcKeyFormat.values())
                        .<Callable<JdbcDedupStore>>map(format -> {
                            JdbcDedupStoreBuilder builder = database.builder().keyFormat(format);
                            return () -> database.closing(builder.build());
                        })
                        .toList();
                int started = 0;
                for (Future<JdbcDedupStore> start : threads.invokeAll(starts)) {
                    try {
                        start.get().ping();
                        started++;
                    } catch (ExecutionException e) {
                        assertThat(e).hasRootCauseInstanceOf(IllegalStateException.class);
                    }
                }
                assertThat(started).isEqualTo(1);
                database.execute("DROP TABLE dedup_record");
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @DisplayName("the scripts copy the records of a table with plain IDs, and all of them count in the new one")
    void copied(JdbcDialect dialect) {
        String name = database(dialect);
        try (TestDatabase database = TestDatabase.open(dialect)) {
            JdbcDedupStore old = database.store();
            List<DedupKey> done = Stream.of("order-1", "Order-1", "order-1 ", "ordër-1", "x".repeat(300))
                    .map(messages::key)
                    .toList();
            done.forEach(key -> Messages.done(old, key));
            ClaimRequest inFlight = Messages.acquire(old, messages.key());
            TableName table = TableName.parse("dedup_record_digest");
            List<String> statements = new ArrayList<>(
                    SchemaScript.statements("io/dedup/store/jdbc/schema-" + name + "-digest.sql", table));
            statements.addAll(SchemaScript.statements(
                    "io/dedup/store/jdbc/copy-" + name + "-digest.sql", TableName.parse(TableName.DEFAULT)));

            database.execute(statements.toArray(String[]::new));

            JdbcDedupStore store = database.closing(database.builder()
                    .table("dedup_record_digest")
                    .keyFormat(JdbcKeyFormat.DIGEST)
                    .initializeSchema(InitializeSchema.NEVER)
                    .build());
            assertThat(done)
                    .allSatisfy(key -> assertThat(Messages.only(store.claim(List.of(Messages.claim(key)))))
                            .isInstanceOf(ClaimResult.AlreadyDone.class));
            assertThat(Messages.only(store.claim(List.of(Messages.claim(inFlight.key())))))
                    .isInstanceOf(ClaimResult.InFlight.class);
            assertThat(Messages.only(store.complete(List.of(Messages.complete(inFlight))))
                            .isApplied())
                    .isTrue();
        }
    }

    private static String database(JdbcDialect dialect) {
        return dialect == JdbcDialect.POSTGRESQL ? "postgresql" : "mysql";
    }

    @OnServers
    @DisplayName("in transactions: a rival is in flight, then done; what is taken back is free; one of a batch each")
    void transactions(JdbcDialect dialect) {
        try (Scene scene = new Scene(dialect, builder -> builder.keyFormat(JdbcKeyFormat.DIGEST))) {
            List<DedupKey> keys = Stream.generate(messages::key).limit(20).toList();
            DedupKey first = keys.get(0);
            DedupKey last = keys.get(19);
            try (Session rival = scene.session();
                    Session asking = scene.session()) {
                assertThat(rival.claim(first)).isInstanceOf(RecordResult.Written.class);
                assertThat(rival.claim(last)).isInstanceOf(RecordResult.Written.class);
                assertThat(asking.claim(first)).isEqualTo(IN_FLIGHT);
                List<RecordResult> answers = asking.claimAll(keys);
                assertThat(answers.subList(1, 19)).hasOnlyElementsOfType(RecordResult.Written.class);
                assertThat(List.of(answers.get(0), answers.get(19))).containsOnly(IN_FLIGHT);
                rival.call(open -> {
                    open.removeAll(List.of(last));
                    return open;
                });
                assertThat(rival.commit()).isInstanceOf(CommitResult.Committed.class);
                assertThat(asking.claimAll(List.of(first, last)))
                        .satisfiesExactly(
                                answer -> assertThat(answer).isInstanceOf(RecordResult.Done.class),
                                answer -> assertThat(answer).isInstanceOf(RecordResult.Written.class));
                assertThat(asking.commit()).isInstanceOf(CommitResult.Committed.class);
            }
            assertThat(scene.records()).isEqualTo(20);
            assertThat(scene.store.claim(keys.stream().map(Messages::claim).toList()))
                    .hasOnlyElementsOfType(ClaimResult.AlreadyDone.class);
        }
    }

    @OnServers
    @DisplayName("a locked row holds back its own renewal only, and a purge passes it by")
    @SuppressWarnings("try") // a rival only has to be there
    void locked(JdbcDialect dialect) throws SQLException {
        try (TestDatabase database = TestDatabase.open(dialect)) {
            JdbcDedupStore store = database.closing(database.builder()
                    .keyFormat(JdbcKeyFormat.DIGEST)
                    .lockTimeout(Duration.ofMillis(200))
                    .build());
            List<ClaimRequest> claims = Messages.acquireAll(store, messages.claims(10));
            DedupKey locked = claims.get(3).key();
            try (Rival rival = Rival.locking(database, locked, KeyFormat.DIGEST)) {
                assertThat(store.renew(claims.stream().map(Messages::renew).toList()))
                        .extracting(answer -> answer.isApplied())
                        .containsExactly(true, true, true, false, true, true, true, true, true, true);
            }
            claims.forEach(claim -> Messages.only(store.complete(List.of(Messages.complete(claim)))));
            database.age(Duration.ofHours(5));
            try (Rival rival = Rival.locking(database, locked, KeyFormat.DIGEST)) {
                assertThat(store.purgeExpired(100)).isEqualTo(9);
            }
            assertThat(store.purgeExpired(100)).isEqualTo(1);
        }
    }
}
