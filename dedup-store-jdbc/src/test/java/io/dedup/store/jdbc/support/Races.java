package io.dedup.store.jdbc.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupKey;
import io.dedup.DedupStoreException;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.DedupStore;
import io.dedup.store.jdbc.JdbcTransactions;
import io.dedup.store.transaction.CommitResult;
import io.dedup.store.transaction.RecordResult;
import io.dedup.store.transaction.RecordTransaction;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.springframework.jdbc.core.JdbcTemplate;

/** Consumers that want the same messages at the same moment. */
public final class Races implements AutoCloseable {
    private static final int RIVALS = 6;

    private final ExecutorService threads = Executors.newFixedThreadPool(RIVALS);
    private final Messages messages = new Messages();

    /** One of the consumers' transactions, and how it writes effects in them. */
    public record Side(JdbcTransactions transactions, JdbcTemplate business) {}

    /** Each message is claimed by all of these stores, several times, and by exactly one with success. Returns who won. */
    public List<ClaimRequest> claims(List<? extends DedupStore> stores, int count) {
        List<ClaimRequest> winners = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            DedupKey key = messages.key();
            List<ClaimRequest> won = all(rival -> {
                ClaimRequest request = Messages.claim(key);
                ClaimResult answer =
                        Messages.only(stores.get(rival % stores.size()).claim(List.of(request)));
                return answer instanceof ClaimResult.Acquired ? List.of(request) : List.<ClaimRequest>of();
            });
            assertThat(won).as("winners of %s", key).hasSize(1);
            winners.addAll(won);
        }
        return winners;
    }

    /** The same with batches, each in an order of its own. */
    public void batches(List<? extends DedupStore> stores, int count) {
        List<DedupKey> keys =
                messages.claims(count).stream().map(ClaimRequest::key).toList();
        List<DedupKey> won = all(rival -> {
            List<DedupKey> order = new ArrayList<>(keys);
            Collections.shuffle(order);
            List<ClaimResult> answers = stores.get(rival % stores.size())
                    .claim(order.stream().map(Messages::claim).toList());
            List<DedupKey> acquired = new ArrayList<>();
            for (int i = 0; i < answers.size(); i++) {
                assertThat(answers.get(i)).isNotInstanceOf(ClaimResult.StoreError.class);
                if (answers.get(i) instanceof ClaimResult.Acquired) {
                    acquired.add(order.get(i));
                }
            }
            return acquired;
        });
        assertThat(won).containsExactlyInAnyOrderElementsOf(keys);
    }

    /** Each message's effect is tried by all of these at the same time, in transactions with its record. Returns the IDs. */
    public List<String> effects(List<Side> sides, int count) {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            DedupKey key = messages.key();
            ids.add(key.messageId());
            List<CommitResult> committed = all(rival -> effect(sides.get(rival % sides.size()), key));
            assertThat(committed).hasSize(1);
        }
        return ids;
    }

    /** The commit, unless the message was in flight elsewhere or done, or the transaction was rolled back. */
    private static List<CommitResult> effect(Side side, DedupKey key) {
        RecordTransaction transaction = side.transactions().beginWithRecords(Session.TIMEOUT);
        try {
            RecordResult answer =
                    transaction.claimAll(List.of(Session.request(key))).get(0);
            if (!(answer instanceof RecordResult.Written)) {
                transaction.rollback();
                return List.of();
            }
            side.business().update("INSERT INTO effect VALUES (?)", key.messageId());
        } catch (DedupStoreException | org.springframework.dao.DataAccessException e) {
            boolean rivalry = transaction.isUndoneByOthers(e);
            transaction.rollback();
            assertThat(rivalry).as("only rivals may stand in the way: %s", e).isTrue();
            return List.of();
        }
        CommitResult end = transaction.commit();
        assertThat(end).isNotInstanceOf(CommitResult.Unknown.class);
        return end instanceof CommitResult.Committed ? List.of(end) : List.of();
    }

    private interface Rival<A> {
        List<A> of(int number) throws Exception;
    }

    private <A> List<A> all(Rival<A> work) {
        CyclicBarrier start = new CyclicBarrier(RIVALS);
        List<Future<List<A>>> running = new ArrayList<>();
        for (int i = 0; i < RIVALS; i++) {
            int number = i;
            Callable<List<A>> rival = () -> {
                start.await();
                return work.of(number);
            };
            running.add(threads.submit(rival));
        }
        return running.stream().flatMap(each -> Session.get(each).stream()).toList();
    }

    @Override
    public void close() {
        threads.shutdown();
    }
}
