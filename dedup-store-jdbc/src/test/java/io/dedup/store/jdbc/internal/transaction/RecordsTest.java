package io.dedup.store.jdbc.internal.transaction;

import static io.dedup.store.jdbc.support.Messages.acquire;
import static io.dedup.store.jdbc.support.Messages.acquireAll;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.Fingerprint;
import io.dedup.policy.Window;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.ReleaseMode;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.StoredRecord;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.jdbc.JdbcDialect;
import io.dedup.store.jdbc.JdbcTransactions;
import io.dedup.store.jdbc.internal.sql.Micros;
import io.dedup.store.jdbc.support.Messages;
import io.dedup.store.jdbc.support.OnEachDatabase;
import io.dedup.store.jdbc.support.Scene;
import io.dedup.store.jdbc.support.Session;
import io.dedup.store.transaction.CommitResult;
import io.dedup.store.transaction.RecordRequest;
import io.dedup.store.transaction.RecordResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What records in transactions answer, and leave, in each state of a message. */
class RecordsTest {
    private static final Fingerprint ONE = new Fingerprint("one");
    private static final Fingerprint OTHER = new Fingerprint("other");

    private Scene scene;

    private void start(JdbcDialect dialect) {
        scene = new Scene(dialect);
    }

    @AfterEach
    void stop() {
        scene.close();
    }

    private List<RecordResult> claimAndCommit(RecordRequest... requests) {
        try (Session session = scene.session()) {
            List<RecordResult> answers = session.call(open -> open.claimAll(List.of(requests)));
            assertThat(session.commit()).isInstanceOf(CommitResult.Committed.class);
            return answers;
        }
    }

    private RecordResult claimAndCommit(DedupKey key) {
        return claimAndCommit(Session.request(key)).get(0);
    }

    private static long token(RecordResult answer) {
        assertThat(answer).isInstanceOf(RecordResult.Written.class);
        return ((RecordResult.Written) answer).fencingToken();
    }

    @OnEachDatabase
    @DisplayName("a single record's token is the row's, and grows")
    void tokens(JdbcDialect dialect) {
        start(dialect);
        DedupKey key = scene.messages.key();
        long first = token(claimAndCommit(key));
        assertThat(first).isPositive().isEqualTo(scene.database.count("SELECT token FROM dedup_record"));

        scene.database.age(Messages.WINDOW.duration());
        assertThat(token(claimAndCommit(key))).isGreaterThan(first);
    }

    @OnEachDatabase
    @DisplayName("a record commits and rolls back with the effect; then LEASED and transactional claims see it, or not")
    void withTheEffect(JdbcDialect dialect) {
        start(dialect);
        DedupKey undone = scene.messages.key();
        DedupKey done = scene.messages.key();

        try (Session session = scene.session()) {
            assertThat(session.claim(undone)).isInstanceOf(RecordResult.Written.class);
            session.run(() -> scene.effect("undone"));
            session.rollback();
        }
        assertThat(scene.effects()).isZero();
        assertThat(scene.records()).isZero();

        try (Session session = scene.session()) {
            assertThat(session.claim(done)).isInstanceOf(RecordResult.Written.class);
            session.run(() -> scene.effect("done"));
            assertThat(scene.store.find(done)).isEmpty();
            assertThat(session.commit()).isInstanceOf(CommitResult.Committed.class);
        }
        assertThat(scene.effects()).isEqualTo(1);
        assertThat(Messages.only(scene.store.claim(List.of(Messages.claim(done)))))
                .isInstanceOfSatisfying(ClaimResult.AlreadyDone.class, record -> {
                    assertThat(record.attempt()).isEqualTo(1);
                    assertThat(record.result()).isNull();
                });
        assertThat(claimAndCommit(done)).isInstanceOfSatisfying(RecordResult.Done.class, answer -> {
            assertThat(answer.record().attempt()).isEqualTo(1);
            assertThat(answer.left().duration()).isBetween(Duration.ofMinutes(59), Messages.WINDOW.duration());
        });
        StoredRecord stored = scene.store.find(done).orElseThrow();
        assertThat(stored.state()).isEqualTo(StoredRecord.State.DONE);
        assertThat(stored.owner()).isNull();
        assertThat(Duration.between(stored.completedAt(), stored.expiresAt()))
                .isBetween(
                        Messages.WINDOW.duration().minusMillis(1),
                        Messages.WINDOW.duration().plusMillis(1));
        assertThat(claimAndCommit(undone)).isInstanceOf(RecordResult.Written.class);
    }

    @OnEachDatabase
    @DisplayName("LEASED claims: a live lease is in flight; one that is over, released or dead is written over, with a"
            + " higher token and as a first attempt")
    void overClaims(JdbcDialect dialect) {
        start(dialect);
        DedupKey live = scene.messages.key();
        DedupKey over = scene.messages.key();
        DedupKey released = scene.messages.key();
        DedupKey dead = scene.messages.key();
        acquire(scene.store, over);
        acquire(scene.store, dead);
        scene.database.age(Messages.LEASE);
        ClaimRequest second = Messages.claim(dead);
        Messages.assertAcquired(Messages.only(scene.store.claim(List.of(second))), 2);
        Messages.only(scene.store.release(
                List.of(new ReleaseRequest(new Claim(dead, second.owner(), 2), ReleaseMode.NOT_STARTED))));
        acquire(scene.store, live);
        Messages.released(scene.store, released);
        long before = scene.database.count("SELECT max(token) FROM dedup_record");

        List<RecordResult> answers = claimAndCommit(
                Session.request(live), Session.request(over), Session.request(released), Session.request(dead));

        assertThat(answers.get(0))
                .isInstanceOfSatisfying(
                        RecordResult.InFlight.class,
                        answer -> assertThat(answer.remaining()).isBetween(Duration.ofSeconds(30), Messages.LEASE));
        for (int i = 1; i < 4; i++) {
            assertThat(token(answers.get(i))).isGreaterThan(before);
        }
        for (DedupKey key : List.of(over, released, dead)) {
            StoredRecord record = scene.store.find(key).orElseThrow();
            assertThat(record.state()).isEqualTo(StoredRecord.State.DONE);
            assertThat(record.attempt()).isEqualTo(1);
            assertThat(record.deaths()).isZero();
            assertThat(Messages.only(scene.store.claim(List.of(Messages.claim(key)))))
                    .isInstanceOf(ClaimResult.AlreadyDone.class);
        }
        assertThat(scene.store.find(live).orElseThrow().state()).isEqualTo(StoredRecord.State.PROCESSING);
    }

    @ParameterizedTest(name = "{0} at a time")
    @ValueSource(ints = {1, 2})
    @DisplayName("on PostgreSQL a record is due for the purge in the hour after its end, and one for ever is never")
    void purgeHour(int records) {
        start(JdbcDialect.POSTGRESQL);
        for (Window window : List.of(Window.of(Duration.ofMinutes(90)), Window.forever())) {
            claimAndCommit(IntStream.range(0, records)
                    .mapToObj(any -> new RecordRequest(scene.messages.key(), window, null))
                    .toArray(RecordRequest[]::new));
        }

        assertThat(scene.database.count(
                        "SELECT count(*) FROM dedup_record WHERE purge_hour = expires_at / 3600000000 + 1"))
                .isEqualTo(records);
        assertThat(scene.database.count(
                        "SELECT count(*) FROM dedup_record WHERE purge_hour = 2147483645 AND expires_at = "
                                + Micros.NEVER))
                .isEqualTo(records);
    }

    @OnEachDatabase
    @DisplayName(
            "a window ends: before that the record counts, after that it is written anew; one without end never does")
    void windows(JdbcDialect dialect) {
        start(dialect);
        DedupKey key = scene.messages.key();
        DedupKey forever = scene.messages.key();
        Duration hour = Messages.WINDOW.duration();
        List<RecordResult> first =
                claimAndCommit(Session.request(key), new RecordRequest(forever, Window.forever(), null));

        scene.database.age(hour.minusSeconds(20));
        assertThat(claimAndCommit(key))
                .isInstanceOfSatisfying(
                        RecordResult.Done.class,
                        answer -> assertThat(answer.left().duration())
                                .isBetween(Duration.ofMillis(1), Duration.ofSeconds(20)));
        scene.database.age(Duration.ofSeconds(20));
        assertThat(token(claimAndCommit(key))).isGreaterThan(token(first.get(0)));
        assertThat(claimAndCommit(key)).isInstanceOf(RecordResult.Done.class);

        scene.database.age(Duration.ofDays(10_000));
        assertThat(claimAndCommit(forever))
                .isInstanceOfSatisfying(
                        RecordResult.Done.class,
                        answer -> assertThat(answer.left().isForever()).isTrue());
        assertThat(claimAndCommit(new RecordRequest(key, Window.forever(), null))
                        .get(0))
                .isInstanceOf(RecordResult.Written.class);
        assertThat(scene.store.find(key).orElseThrow().expiresAt()).isNull();
    }

    @OnEachDatabase
    @DisplayName("a purge takes what transactions have written once its window is over, and not before")
    void purge(JdbcDialect dialect) {
        start(dialect);
        claimAndCommit(
                Session.request(scene.messages.key()), new RecordRequest(scene.messages.key(), Window.forever(), null));
        assertThat(scene.store.purgeExpired(10)).isZero();
        scene.database.age(Duration.ofHours(4)); // PostgreSQL purges by the hour
        assertThat(scene.store.purgeExpired(10)).isEqualTo(1);
        assertThat(scene.records()).isEqualTo(1);
    }

    private static void assertDoneWithOne(RecordResult answer) {
        assertThat(answer)
                .isInstanceOfSatisfying(
                        RecordResult.Done.class,
                        done -> assertThat(done.fingerprint()).isEqualTo(ONE));
    }

    @OnEachDatabase
    @DisplayName("another payload is a conflict, done or in flight; where either is unknown it isn't")
    void fingerprints(JdbcDialect dialect) {
        start(dialect);
        DedupKey done = scene.messages.key();
        DedupKey live = scene.messages.key();
        claimAndCommit(new RecordRequest(done, Messages.WINDOW, ONE));
        Messages.only(scene.store.claim(List.of(new ClaimRequest(live, Messages.owner(), Messages.LEASE, ONE, true))));

        for (Fingerprint same : new Fingerprint[] {ONE, null}) {
            assertThat(claimAndCommit(
                            new RecordRequest(done, Messages.WINDOW, same),
                            new RecordRequest(live, Messages.WINDOW, same)))
                    .satisfiesExactly(
                            RecordsTest::assertDoneWithOne,
                            answer -> assertThat(answer).isInstanceOf(RecordResult.InFlight.class));
            assertDoneWithOne(claimAndCommit(new RecordRequest(done, Messages.WINDOW, same))
                    .get(0));
        }
        assertThat(claimAndCommit(
                        new RecordRequest(done, Messages.WINDOW, OTHER),
                        new RecordRequest(live, Messages.WINDOW, OTHER)))
                .containsOnly(new RecordResult.Conflict());
        scene.database.age(Messages.WINDOW.duration());
        assertThat(claimAndCommit(new RecordRequest(done, Messages.WINDOW, OTHER))
                        .get(0))
                .as("a claimable record takes the new one")
                .isInstanceOf(RecordResult.Written.class);
        assertThat(scene.store.find(done).orElseThrow().fingerprint()).isEqualTo(OTHER);
    }

    @OnEachDatabase
    @DisplayName("T8 S5 S8 IDs are kept apart, and found again, whatever is in them")
    void hostileIds(JdbcDialect dialect) {
        start(dialect);
        DedupScope other = DedupScope.of("jdbc-tests", "payments");
        List<DedupKey> keys = new ArrayList<>();
        for (String id : List.of(
                "k",
                "K",
                "k ",
                "k  ",
                " k",
                "k\0",
                "\0k",
                "'; DROP TABLE effect; --",
                "\"",
                "\\",
                "%",
                "_",
                "{}",
                "{table}",
                "?",
                ":p",
                "$1",
                "\u00e9",
                "e\u0301",
                "\ud83d\ude80",
                "\uffff",
                "a\r\n",
                "x".repeat(255),
                "\u20ac".repeat(85),
                "y".repeat(10_000))) {
            keys.add(DedupKey.of(DedupScope.of("jdbc-tests", "orders"), id));
            keys.add(DedupKey.of(other, id));
        }

        try (Session session = scene.session()) {
            assertThat(session.claimAll(keys)).hasOnlyElementsOfType(RecordResult.Written.class);
            session.call(open -> {
                open.keepResult(keys.get(4), new byte[] {1});
                open.removeAll(List.of(keys.get(2)));
                return open;
            });
            session.commit();
        }

        assertThat(scene.records()).isEqualTo(keys.size() - 1);
        for (int i = 0; i < keys.size(); i++) {
            ClaimResult answer = Messages.only(scene.store.claim(List.of(Messages.claim(keys.get(i)))));
            if (i == 2) {
                assertThat(answer).isInstanceOf(ClaimResult.Acquired.class);
            } else {
                int position = i;
                assertThat(answer)
                        .isInstanceOfSatisfying(
                                ClaimResult.AlreadyDone.class,
                                record -> assertThat(record.result()).isEqualTo(position == 4 ? new byte[] {1} : null));
            }
        }
    }

    @OnEachDatabase
    @DisplayName("a batch answers, and leaves, what single claims would, whatever its order")
    void batch(JdbcDialect dialect) {
        start(dialect);
        List<DedupKey> keys = IntStream.range(0, 40)
                .mapToObj(i -> scene.messages.key("message-" + (i * 7) % 40))
                .toList();
        List<Class<?>> expected = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            switch (i % 4) {
                case 0 -> Messages.done(scene.store, keys.get(i));
                case 1 -> acquire(scene.store, keys.get(i));
                case 2 -> Messages.released(scene.store, keys.get(i));
                default -> {}
            }
            expected.add(
                    i % 4 == 0
                            ? RecordResult.Done.class
                            : i % 4 == 1 ? RecordResult.InFlight.class : RecordResult.Written.class);
        }

        List<Class<?>> batch = new ArrayList<>();
        try (Session session = scene.session()) {
            session.claimAll(keys).forEach(answer -> batch.add(answer.getClass()));
        }
        List<Class<?>> single = new ArrayList<>();
        try (Session session = scene.session()) {
            keys.forEach(key -> single.add(session.claim(key).getClass()));
        }

        assertThat(batch).isEqualTo(expected);
        assertThat(single).isEqualTo(expected);
    }

    @OnEachDatabase
    @DisplayName("a batch larger than a statement takes is cut into pieces; an empty one is nothing")
    void pieces(JdbcDialect dialect) {
        start(dialect);
        JdbcDedupStore small = scene.database.closing(
                scene.database.builder(scene.pool).maxBatch(7).build());
        JdbcTransactions transactions = small.transactions(scene.manager);
        List<DedupKey> keys =
                IntStream.range(0, 50).mapToObj(i -> scene.messages.key()).toList();
        try (Session session = new Session(transactions)) {
            assertThat(session.claimAll(List.of())).isEmpty();
            assertThat(session.claimAll(keys)).hasSize(50).hasOnlyElementsOfType(RecordResult.Written.class);
            session.call(open -> {
                open.removeAll(keys.subList(10, 40));
                open.removeAll(List.of());
                return open;
            });
            session.commit();
        }
        assertThat(scene.records()).isEqualTo(20);
    }

    @OnEachDatabase
    @DisplayName("removeAll takes back what this transaction has written, and nothing else")
    void remove(JdbcDialect dialect) {
        start(dialect);
        DedupKey others = scene.messages.key();
        DedupKey released = scene.messages.key();
        DedupKey fresh = scene.messages.key();
        DedupKey kept = scene.messages.key();
        claimAndCommit(others);
        Messages.released(scene.store, released);

        try (Session session = scene.session()) {
            session.claimAll(List.of(others, released, fresh, kept));
            session.call(open -> {
                open.removeAll(List.of(others, fresh, released));
                return open;
            });
            session.commit();
        }

        assertThat(scene.store.find(others)).isPresent();
        assertThat(scene.store.find(kept)).isPresent();
        assertThat(scene.store.find(fresh)).isEmpty();
        assertThat(scene.store.find(released)).isEmpty();
        assertThat(claimAndCommit(fresh)).isInstanceOf(RecordResult.Written.class);
    }

    @OnEachDatabase
    @DisplayName("a result is kept with the record, for duplicates of both modes; not with records of others")
    void result(JdbcDialect dialect) {
        start(dialect);
        DedupKey key = scene.messages.key();
        DedupKey others = scene.messages.key();
        byte[] result = new byte[100_000];
        result[99_999] = 1;
        claimAndCommit(others);

        try (Session session = scene.session()) {
            session.claimAll(List.of(key, others));
            session.call(open -> {
                open.keepResult(key, new byte[] {1});
                open.keepResult(key, result);
                open.keepResult(key, result);
                return open;
            });
            assertThatThrownBy(() -> session.call(open -> {
                        open.keepResult(others, result);
                        return open;
                    }))
                    .isInstanceOf(IllegalArgumentException.class);
            session.commit();
        }

        assertThat(claimAndCommit(key))
                .isInstanceOfSatisfying(
                        RecordResult.Done.class,
                        answer -> assertThat(answer.record().result()).isEqualTo(result));
        assertThat(Messages.only(scene.store.claim(List.of(Messages.claim(key)))))
                .isInstanceOfSatisfying(
                        ClaimResult.AlreadyDone.class,
                        answer -> assertThat(answer.result()).isEqualTo(result));
        scene.database.age(Messages.WINDOW.duration());
        assertThat(claimAndCommit(key)).isInstanceOf(RecordResult.Written.class);
        assertThat(scene.store.find(key).orElseThrow().result()).isNull();
    }

    @OnEachDatabase
    @DisplayName(
            "T1 completions count with the commit, by the owner alone, a repetition or not; a rollback leaves the claim")
    void completions(JdbcDialect dialect) {
        start(dialect);
        List<ClaimRequest> held = new ArrayList<>(acquireAll(scene.store, scene.messages.claims(4)));
        ClaimRequest stranger = Messages.claim(held.get(3).key());
        ClaimRequest absent = Messages.claim(scene.messages.key());
        List<CompleteRequest> requests = new ArrayList<>();
        held.subList(0, 3).forEach(request -> requests.add(Messages.complete(request)));
        requests.add(1, Messages.complete(stranger));
        requests.add(Messages.complete(absent));
        List<WriteResult> expected = List.of(
                WriteResult.applied(),
                WriteResult.leaseLost(),
                WriteResult.applied(),
                WriteResult.applied(),
                WriteResult.leaseLost());

        try (Session session = scene.session()) {
            assertThat(session.completeAll(requests)).isEqualTo(expected);
            session.rollback();
        }
        held.forEach(request -> assertThat(
                        scene.store.find(request.key()).orElseThrow().state())
                .isEqualTo(StoredRecord.State.PROCESSING));

        scene.database.age(Messages.LEASE.plusSeconds(1)); // over, and nobody took over
        try (Session session = scene.session()) {
            assertThat(session.completeAll(requests)).isEqualTo(expected);
            assertThat(session.completeAll(List.of())).isEmpty();
            session.commit();
        }
        held.subList(0, 3)
                .forEach(request -> assertThat(Messages.only(scene.store.claim(List.of(Messages.claim(request.key())))))
                        .isInstanceOf(ClaimResult.AlreadyDone.class));
        try (Session session = scene.session()) {
            assertThat(session.completeAll(List.of(Messages.complete(held.get(0), true))))
                    .as("done by this attempt, and yet not in this transaction")
                    .containsOnly(WriteResult.leaseLost());
        }
    }

    @OnEachDatabase
    @DisplayName("T1 a completion with a result; one whose claim was taken over is refused")
    void takenOver(JdbcDialect dialect) {
        start(dialect);
        ClaimRequest mine = acquire(scene.store, scene.messages.key());
        ClaimRequest lost = acquire(scene.store, scene.messages.key());
        scene.database.age(Messages.LEASE);
        Messages.assertAcquired(Messages.only(scene.store.claim(List.of(Messages.claim(lost.key())))), 2);

        try (Session session = scene.session()) {
            assertThat(session.completeAll(List.of(
                            new CompleteRequest(
                                    new Claim(mine.key(), mine.owner(), 1), Window.forever(), new byte[] {7}, false),
                            Messages.complete(lost))))
                    .containsExactly(WriteResult.applied(), WriteResult.leaseLost());
            session.commit();
        }

        StoredRecord done = scene.store.find(mine.key()).orElseThrow();
        assertThat(done.result()).containsExactly(7);
        assertThat(done.expiresAt()).isNull();
        assertThat(scene.store.find(lost.key()).orElseThrow().state()).isEqualTo(StoredRecord.State.PROCESSING);
    }

    @OnEachDatabase
    @DisplayName("completions with more of results than a statement takes are cut into pieces")
    void largeResults(JdbcDialect dialect) {
        start(dialect);
        List<ClaimRequest> held = acquireAll(scene.store, scene.messages.claims(12));
        byte[] result = new byte[400_000];
        try (Session session = scene.session()) {
            assertThat(session.completeAll(held.stream()
                            .map(request -> new CompleteRequest(
                                    new Claim(request.key(), request.owner(), 1), Messages.WINDOW, result, false))
                            .toList()))
                    .hasSize(12)
                    .containsOnly(WriteResult.applied());
            session.commit();
        }
        assertThat(scene.store.find(held.get(11).key()).orElseThrow().result()).isEqualTo(result);
    }
}
