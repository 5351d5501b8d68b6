package io.dedup.adapter;

import io.dedup.DedupKey;
import io.dedup.DedupOutcome.Completion;
import io.dedup.Deduplicator;
import io.dedup.policy.DedupMode;
import io.dedup.store.transaction.TransactionalRecords;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The API of a deduplicator for broker adapters: claim deliveries, run their handlers, settle the runs. These are
 * separate steps, so that an adapter can claim many deliveries ahead and complete many runs with one call. Thread-safe.
 *
 * <p>The order is always the same: {@link #admit}; for an {@link Admission.Run}, the handler by {@link HandlerRun},
 * which passes its end to a {@link Settlement}; and only then the acknowledgment to the broker.
 */
public interface DedupAdapter {
    /**
     * Returns the adapter API of a deduplicator, valid until the deduplicator is closed.
     *
     * @throws IllegalArgumentException if {@code Deduplicators.builder} did not create the deduplicator
     */
    static DedupAdapter of(Deduplicator deduplicator) {
        if (deduplicator instanceof AdapterSource source) {
            return source.adapter();
        }
        throw new IllegalArgumentException(
                deduplicator.getClass().getName() + " was not built by Deduplicators.builder(store); a broker adapter"
                        + " needs a Deduplicator that was");
    }

    /** Decides about one delivery. Takes one round trip; more while the message is in flight elsewhere. */
    Admission admit(Delivery delivery, WaitBudget budget);

    /** Decides about a batch with one round trip for all of it; copies within the batch follow the first one. */
    BatchAdmission admitAll(List<Delivery> deliveries, WaitBudget budget);

    /** Returns the API to claim deliveries before their turn. */
    ClaimsAhead ahead();

    /**
     * Runs an admitted handler, in a transaction if its mode requires one, and settles its execution.
     *
     * @param budget limits waiting for another transaction that handles the message, and for a store that does not
     *     answer a completion
     */
    RunEnd run(Execution execution, Work work, WaitBudget budget);

    /**
     * As {@link #run(Execution, Work, WaitBudget)}, for an adapter that settles runs in its own way, for example many with one
     * call. In a transaction, the commit or the rollback settles the run.
     *
     * @param leased settles the run if its mode requires no transaction
     */
    RunEnd run(Execution execution, Work work, Settlement<byte @Nullable [], RunEnd> leased, WaitBudget budget);

    /**
     * Opens one transaction on this thread for admitted runs, and writes or checks the records of all of them with one
     * call. For batches; {@link #run} does this for a single run.
     *
     * @param executions those whose {@link Execution#isTransactional()} is true
     * @param ordered whether no delivery may run after one that is deferred or rejected; the later ones are then given
     *     back
     */
    TransactionalRun open(List<Execution> executions, boolean ordered, WaitBudget budget);

    /** Completes many runs with one call, otherwise like {@link Execution#succeed}. Returns the results in order. */
    List<Completion> succeedAll(List<Execution> executions, WaitBudget budget);

    /**
     * Releases many runs with one call. Attempts of runs whose {@link Execution#begin} was not called do not count.
     *
     * @param cause the exception of the handler; null if no handler ran
     * @return whether any claim had been lost before; see {@link Execution#fail}
     */
    boolean failAll(List<Execution> executions, @Nullable Throwable cause);

    /** Returns what encodes and decodes handlers' results for duplicates. */
    Results results();

    /** Returns what opens the transactions of the transactional modes; null if none is configured. */
    @Nullable
    TransactionalRecords records();

    /**
     * Returns threads that settle runs whose work ended on a thread that must not block, such as an event loop. Never
     * rejects a task: after the deduplicator was closed, or without memory for a thread, the calling thread runs it.
     */
    Executor settlements();

    /**
     * Checks that deferred deliveries can be handled again: the store, the database of the transactions, or both,
     * accept writes. Returns normally if so.
     *
     * @throws io.dedup.DedupStoreException if not
     */
    void ping();

    /**
     * Checks that messages of this mode can be claimed: the store, or the database of the transactions, accepts writes.
     * Unlike {@link #ping()}, it needn't know what has failed before. Returns normally if so.
     *
     * @throws io.dedup.DedupStoreException if not
     */
    void ping(DedupMode mode);

    /**
     * Registers which consumer group reads a topic under the consumer name of this deduplicator. A second group must
     * not: each would skip as duplicates the messages that only the other has handled.
     *
     * @return the group that was registered first
     */
    String firstGroup(String topic, String group);

    /**
     * Returns how many claims are held and transactions are open. Runs that go on without a claim because the store did
     * not answer count as well. Claims whose leases have expired and are no longer renewed do not count.
     */
    int inFlight();

    /**
     * Whether this process is handling the message at this moment: it has claimed it, its lease isn't lost (or it runs it
     * without a claim because the store did not answer), and the end of the run isn't settled. A copy that was deferred as in flight need not be tried again before. Looks at all claims
     * of the process and never calls the store.
     */
    boolean isHandling(DedupKey key);

    /** Returns how many successes are waiting to be recorded because the store has not answered. */
    int pendingCompletions();

    /** Returns how many successes and releases are waiting for an answer of the store. */
    int pendingWrites();
}
