package io.dedup.store.jdbc;

import static io.dedup.store.jdbc.support.Messages.acquireAll;
import static io.dedup.store.jdbc.support.Messages.assertAcquired;
import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupKey;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.support.Messages;
import io.dedup.store.jdbc.support.OnEachDatabase;
import io.dedup.store.jdbc.support.OnServers;
import io.dedup.store.jdbc.support.Rival;
import io.dedup.store.jdbc.support.TestDatabase;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Statements that get in each other's way. */
class ConcurrencyTest {
    private static final int THREADS = 4;
    private static final int KEYS = 60;
    private static final int ROUNDS = 5;

    private final Messages messages = new Messages();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private TestDatabase database;
    private JdbcDedupStore store;

    private void start(JdbcDialect dialect) {
        database = TestDatabase.open(dialect);
        // A deadlock shall be found by the database, not hidden by a lock timeout.
        store = database.patientStore();
    }

    @AfterEach
    void stop() {
        threads.shutdownNow();
        database.close();
    }

    @OnEachDatabase
    @DisplayName("S4 batches over the same keys, each in another order: all get answers, each key has one winner")
    void oppositeOrders(JdbcDialect dialect) throws Exception {
        start(dialect);
        for (int round = 0; round < ROUNDS; round++) {
            List<DedupKey> keys =
                    messages.claims(KEYS).stream().map(ClaimRequest::key).toList();
            List<Callable<Integer>> crowd = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                List<DedupKey> order = new ArrayList<>(keys);
                if (i % 2 == 0) {
                    Collections.reverse(order);
                } else {
                    Collections.rotate(order, i * 7);
                }
                crowd.add(() -> claimAndComplete(order));
            }
            int won = 0;
            for (Future<Integer> member : threads.invokeAll(crowd)) {
                won += member.get();
            }
            assertThat(won).isEqualTo(KEYS);
        }
    }

    /** Returns how many of the claims were acquired; they are done afterwards. */
    private int claimAndComplete(List<DedupKey> keys) {
        List<ClaimRequest> requests = keys.stream().map(Messages::claim).toList();
        List<ClaimResult> answers = store.claim(requests);
        assertThat(answers).doesNotHaveAnyElementsOfTypes(ClaimResult.StoreError.class);
        List<ClaimRequest> mine = new ArrayList<>();
        for (int i = 0; i < answers.size(); i++) {
            if (answers.get(i) instanceof ClaimResult.Acquired) {
                mine.add(requests.get(i));
            }
        }
        assertThat(store.complete(mine.stream().map(Messages::complete).toList()))
                .allMatch(WriteResult::isApplied);
        return mine.size();
    }

    @OnServers
    @DisplayName("S3 S4 a deadlock's victim is asked again, on the store's own connection, and gets its answers")
    void deadlock(JdbcDialect dialect) throws Exception {
        start(dialect);
        database.execute("CREATE TABLE work (id int PRIMARY KEY)");
        int tries = 0;
        while (!storeWasVictim()) {
            assertThat(++tries).as("times that the other was the victim").isLessThan(10);
        }
    }

    /**
     * Tells whether the database undid the store's statement. PostgreSQL looks for a deadlock once per wait, a second after
     * its begin: where that second is over before the other one waits, too, the other one is the victim.
     */
    private boolean storeWasVictim() throws Exception {
        List<ClaimRequest> requests = messages.claims(2);
        requests.forEach(request -> Messages.released(store, request.key()));
        DedupKey first = requests.get(0).key();
        DedupKey second = requests.get(1).key();
        boolean victim;
        Future<List<ClaimResult>> answers;
        try (Rival rival = new Rival(database)) {
            rival.work();
            rival.lock(second);
            answers = threads.submit(() -> store.claim(requests));
            database.awaitBlocked();
            victim = rival.lockUnlessVictim(first); // which the store has locked: its statement is the one to be undone
        }
        assertThat(answers.get(30, TimeUnit.SECONDS)).allSatisfy(answer -> assertAcquired(answer, 2));
        return victim;
    }

    @OnEachDatabase
    @DisplayName("S9 a claim that waited for another's insert is a claim only if that was rolled back")
    void waitedForInsert(JdbcDialect dialect) throws Exception {
        start(dialect);
        ClaimRequest request = Messages.claim(messages.key());

        assertThat(afterWait(request, rival -> rival.insertDone(request.key()), Rival::rollback))
                .isInstanceOf(ClaimResult.Acquired.class);
        assertThat(store.find(request.key()).orElseThrow().owner()).isEqualTo(request.owner());

        ClaimRequest other = Messages.claim(messages.key());
        assertThat(afterWait(other, rival -> rival.insertDone(other.key()), Rival::commit))
                .isInstanceOf(ClaimResult.AlreadyDone.class);
    }

    @OnEachDatabase
    @DisplayName("S9 a claim that waited for a row which was claimable before the wait answers what it is after it")
    void waitedForUpdate(JdbcDialect dialect) throws Exception {
        start(dialect);
        DedupKey key = messages.key();
        Messages.released(store, key);

        assertThat(afterWait(Messages.claim(key), rival -> rival.updateDone(key), Rival::commit))
                .isInstanceOf(ClaimResult.AlreadyDone.class);
    }

    private interface Step {
        void of(Rival rival) throws SQLException;
    }

    private ClaimResult afterWait(ClaimRequest request, Step before, Step after) throws Exception {
        try (Rival rival = new Rival(database)) {
            before.of(rival);
            Future<ClaimResult> answer = threads.submit(() -> Messages.only(store.claim(List.of(request))));
            awaitBlocked(answer);
            after.of(rival);
            return answer.get(30, TimeUnit.SECONDS);
        }
    }

    private void awaitBlocked(Future<?> answer) throws ExecutionException, InterruptedException {
        database.awaitBlocked();
        if (answer.isDone()) { // it must not have been somebody else who was blocked
            throw new AssertionError("answered without waiting: " + answer.get());
        }
    }

    @OnEachDatabase
    @DisplayName("S10 a heartbeat over many claims doesn't deadlock with completions in another order")
    void heartbeatAgainstCompletions(JdbcDialect dialect) throws Exception {
        start(dialect);
        List<ClaimRequest> held = acquireAll(store, messages.claims(200));
        List<ClaimRequest> reversed = new ArrayList<>(held);
        Collections.reverse(reversed);

        Future<?> completions = threads.submit(() -> {
            for (int from = 0; from < reversed.size(); from += 20) {
                List<WriteResult> answers = store.complete(reversed.subList(from, from + 20).stream()
                        .map(Messages::complete)
                        .toList());
                assertThat(answers).containsOnly(WriteResult.applied());
            }
        });
        while (!completions.isDone()) {
            assertThat(store.renew(held.stream().map(Messages::renew).toList()))
                    .allMatch(ConcurrencyTest::isRenewedOrLostOrLocked);
        }
        completions.get();

        assertThat(store.claim(Messages.again(held))).hasOnlyElementsOfType(ClaimResult.AlreadyDone.class);
    }

    @Test
    @DisplayName("a write in a batch that came too late isn't taken for applied, though another left the same row")
    void sameRow() throws Exception {
        database = TestDatabase.open(JdbcDialect.GENERIC);
        // Both writes are of the same moment, as they may be by chance where the database's clock is coarse.
        store = database.closing(TestDatabase.patient(database.builder(database.patientPool()))
                .clockQuery("SELECT 1000000000000000 AS store_time")
                .build());
        List<ClaimRequest> held = acquireAll(store, messages.claims(2));
        List<CompleteRequest> requests = held.stream().map(Messages::complete).toList();
        List<Future<List<WriteResult>>> both = new ArrayList<>();

        try (Rival rival = Rival.locking(database, held.get(0).key())) {
            both.add(threads.submit(() -> store.complete(requests)));
            both.add(threads.submit(() -> store.complete(requests)));
            database.awaitBlocked(2);
            rival.rollback();
        }

        List<WriteResult> answers = new ArrayList<>();
        for (Future<List<WriteResult>> answer : both) {
            answers.addAll(answer.get(30, TimeUnit.SECONDS));
        }
        assertThat(answers)
                .containsExactlyInAnyOrder(
                        WriteResult.applied(), WriteResult.applied(), WriteResult.leaseLost(), WriteResult.leaseLost());
    }

    private static boolean isRenewedOrLostOrLocked(WriteResult answer) {
        if (answer instanceof WriteResult.StoreError error) {
            String message = error.cause().getMessage();
            return message.contains("held a lock") || message.contains("may or may not have been applied");
        }
        return true;
    }
}
