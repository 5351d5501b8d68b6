package io.dedup.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupKey;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.Owner;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.internal.sql.KeyFormat;
import io.dedup.store.jdbc.support.Messages;
import io.dedup.store.jdbc.support.Rival;
import io.dedup.store.jdbc.support.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** PostgreSQL's statements for what nearly every message needs, beside other sessions that hold rows. */
class PostgresClaimsTest {
    private final Messages messages = new Messages();
    private final DedupKey first = messages.key("a");
    private final DedupKey second = messages.key("b");
    private final DedupKey third = messages.key("c");
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private TestDatabase database;
    private JdbcDedupStore store;

    @BeforeEach
    void open() {
        database = TestDatabase.open(JdbcDialect.POSTGRESQL);
        store = database.patientStore();
    }

    @AfterEach
    void close() {
        thread.shutdownNow();
        database.close();
    }

    @Test
    @DisplayName("a claim doesn't wait for a message in flight that a handler's transaction is completing")
    void single() throws Exception {
        Messages.acquire(store, second);
        try (Rival handler = new Rival(database)) {
            handler.updateDone(second);
            assertThat(Messages.only(database.hastyStore().claim(List.of(Messages.claim(second)))))
                    .isInstanceOf(ClaimResult.InFlight.class);
        }
    }

    @Test
    @DisplayName("neither does a batch, and its new messages are claimed meanwhile")
    void batch() throws Exception {
        Messages.acquire(store, second);
        try (Rival handler = new Rival(database)) {
            handler.updateDone(second);
            List<ClaimResult> answers =
                    database.hastyStore().claim(List.of(Messages.claim(first), Messages.claim(second)));
            assertThat(answers.get(0)).isInstanceOf(ClaimResult.Acquired.class);
            assertThat(answers.get(1)).isInstanceOf(ClaimResult.InFlight.class);
        }
    }

    @Test
    @DisplayName("a batch that had to wait gets higher tokens than whoever claimed its messages meanwhile")
    void tokenAfterWait() throws Exception {
        Future<List<ClaimResult>> batch;
        ClaimResult meanwhile;
        try (Rival rival = new Rival(database)) {
            rival.insertDone(first);
            batch = thread.submit(() -> store.claim(List.of(Messages.claim(first), Messages.claim(second))));
            database.awaitBlocked();
            ClaimRequest other = Messages.claim(second);
            meanwhile = Messages.only(store.claim(List.of(other)));
            assertThat(Messages.only(store.complete(List.of(Messages.complete(other)))))
                    .isEqualTo(WriteResult.applied());
            assertThat(store.forget(second, LiveLease.RESPECT)).isEqualTo(OperatorResult.APPLIED);
            rival.commit();
        }
        assertThat(batch.get().get(0)).isInstanceOf(ClaimResult.AlreadyDone.class);
        assertThat(acquired(batch.get().get(1)).fencingToken())
                .isGreaterThan(acquired(meanwhile).fencingToken());
    }

    @Test
    @DisplayName(
            "a message that a batch has inserted is at its first attempt, although the batch needs a second statement for another"
                    + " and the lease is over by then")
    void firstAttempt() throws Exception {
        Messages.released(store, first);
        Duration lease = Duration.ofMillis(1);
        Future<List<ClaimResult>> batch;
        try (Rival rival = new Rival(database)) {
            rival.insertDone(second);
            batch = thread.submit(() -> store.claim(List.of(
                    new ClaimRequest(first, Messages.owner(), lease),
                    new ClaimRequest(second, Messages.owner(), lease),
                    new ClaimRequest(third, Messages.owner(), lease))));
            database.awaitBlocked();
            rival.commit();
        }
        assertThat(acquired(batch.get().get(0)).attempt()).isEqualTo(2);
        assertThat(batch.get().get(1)).isInstanceOf(ClaimResult.AlreadyDone.class);
        assertThat(acquired(batch.get().get(2)).attempt()).isEqualTo(1);
        assertThat(acquired(batch.get().get(2)).deaths()).isZero();
    }

    @Test
    @DisplayName(
            "if the second statement for others fails, the messages that a batch has inserted stay at their first attempt")
    void lockedBesideNew() throws Exception {
        Messages.released(store, second);
        Duration lease = Duration.ofMillis(1);
        List<ClaimResult> answers;
        try (Rival rival = Rival.locking(database, second)) {
            answers = database.hastyStore()
                    .claim(List.of(
                            new ClaimRequest(first, Messages.owner(), lease),
                            new ClaimRequest(second, Messages.owner(), lease),
                            new ClaimRequest(third, Messages.owner(), lease)));
        }
        assertThat(answers.get(1)).isInstanceOf(ClaimResult.StoreError.class);
        for (ClaimResult inserted : List.of(answers.get(0), answers.get(2))) {
            assertThat(acquired(inserted).attempt()).isEqualTo(1);
            assertThat(acquired(inserted).deaths()).isZero();
        }
    }

    @Test
    @DisplayName("claims of a batch that share their owner get each its own answer")
    void sharedOwner() {
        Messages.released(store, first);
        Owner owner = Messages.owner();
        List<ClaimResult> answers = store.claim(Stream.of(first, second, third)
                .map(key -> new ClaimRequest(key, owner, Messages.LEASE))
                .toList());
        assertThat(answers).map(answer -> acquired(answer).attempt()).containsExactly(2, 1, 1);
        assertThat(answers.get(2))
                .isEqualTo(new ClaimResult.Acquired(1, 0, false, token(third)))
                .isNotEqualTo(answers.get(1));
    }

    @Test
    @DisplayName("a message's window begins when it is written, also behind a row that the batch has waited for")
    void completionAfterWait() throws Exception {
        ClaimRequest early = Messages.acquire(store, first);
        ClaimRequest late = Messages.acquire(store, second);
        long end;
        Future<List<WriteResult>> batch;
        try (Rival rival = Rival.locking(database, first)) {
            batch = thread.submit(() -> store.complete(List.of(Messages.complete(early), Messages.complete(late))));
            database.awaitBlocked();
            end = rival.now();
        }
        assertThat(batch.get()).containsOnly(WriteResult.applied());
        assertThat(database.count(
                        "SELECT completed_at FROM dedup_record WHERE message_id = ?",
                        KeyFormat.PLAIN.messageId(second)))
                .isGreaterThanOrEqualTo(end);
    }

    @Test
    @DisplayName("the same message twice in a batch, which isn't allowed, has one owner")
    void twice() {
        ClaimRequest owner = Messages.claim(first);
        List<ClaimResult> answers =
                store.claim(List.of(owner, Messages.claim(second), Messages.claim(first), Messages.claim(third)));
        // The answers are found by their messages, so both requests get the same one.
        assertThat(store.find(first).orElseThrow().owner()).isEqualTo(owner.owner());
        assertThat(answers.get(2)).isInstanceOf(ClaimResult.InFlight.class);
    }

    private long token(DedupKey key) {
        return database.count("SELECT token FROM dedup_record WHERE message_id = ?", KeyFormat.PLAIN.messageId(key));
    }

    private static ClaimResult.Acquired acquired(ClaimResult answer) {
        assertThat(answer).isInstanceOf(ClaimResult.Acquired.class);
        return (ClaimResult.Acquired) answer;
    }
}
