package io.dedup.adapter;

import io.dedup.DedupOutcome.Completion;
import io.dedup.Deduplicator;
import io.dedup.store.transaction.TransactionalRecords;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * What an adapter for a broker does with a deduplicator: claim deliveries, run their handlers, settle the runs. These are
 * separate steps, so that an adapter can claim many deliveries ahead and complete many runs at once. Thread-safe.
 *
 * <p>The order is always the same: {@link #admit}, then for an {@link Admission.Run} the handler by {@link HandlerRun}, which
 * hands its end to a {@link Settlement}, and then, and only then, the acknowledgment to the broker.
 */
public interface DedupAdapter {
    /**
     * The adapter's side of a deduplicator; it lives as long as the deduplicator.
     *
     * @throws IllegalArgumentException when the deduplicator isn't one of this framework: an application's fake can't be
     *     adapted to a broker
     */
    static DedupAdapter of(Deduplicator deduplicator) {
        if (deduplicator instanceof AdapterSource source) {
            return source.adapter();
        }
        throw new IllegalArgumentException(
                "an adapter needs a deduplicator that Deduplicators.builder(store) has built," + " but this one is a "
                        + deduplicator.getClass().getName());
    }

    /** Decides about one delivery; takes one round trip unless it is in flight elsewhere. */
    Admission admit(Delivery delivery, WaitBudget budget);

    /** Decides about a batch with one round trip for all of it; copies within the batch follow their first. */
    BatchAdmission admitAll(List<Delivery> deliveries, WaitBudget budget);

    /** Claims deliveries before their turn. */
    ClaimsAhead ahead();

    /**
     * Runs a handler that was admitted, in a transaction where its mode asks for one, and settles its execution.
     *
     * @param budget for waiting while another transaction handles the message, and for repeating a completion that the store
     *     doesn't answer
     */
    RunEnd run(Execution execution, Work work, WaitBudget budget);

    /**
     * Opens one transaction on this thread for runs that were admitted, and asks the records of all of them with one
     * call. For batches; {@link #run} does it for a single one.
     *
     * @param executions whose {@link Execution#isTransactional()} is true
     * @param ordered whether nothing may run behind one that is deferred or rejected: those are given back
     */
    TransactionalRun open(List<Execution> executions, boolean ordered, WaitBudget budget);

    /** Completes many runs with one call; otherwise as {@link Execution#succeed}. Answers in order. */
    List<Completion> succeedAll(List<Execution> executions, WaitBudget budget);

    /**
     * Releases many runs with one call; their attempts are given back where {@link Execution#begin} wasn't called.
     *
     * @param cause the handler's exception; null when no handler ran
     * @return whether any claim was lost before, see {@link Execution#fail}
     */
    boolean failAll(List<Execution> executions, @Nullable Throwable cause);

    /** Encodes handlers' results for duplicates, and decodes them. */
    Results results();

    /** What opens the transactions of transactional modes; null where there is none. */
    @Nullable
    TransactionalRecords records();

    /**
     * Threads that settle runs whose work ended on a thread that must not block, such as an event loop. Never rejects: after
     * the deduplicator's end, and where there is no memory for a thread, the calling thread settles the run itself.
     */
    Executor settlements();

    /**
     * Returns when what deliveries were deferred for takes writes: the store, the database of the transactions, or both.
     *
     * @throws io.dedup.DedupStoreException when it doesn't
     */
    void ping();

    /**
     * Notes which consumer group reads a topic in this deduplicator's name. A second group must not: each of the two would
     * take the messages that the other has handled for duplicates.
     *
     * @return the group that was noted first
     */
    String firstGroup(String topic, String group);

    /** How many claims are held and transactions open now; claims whose renewals and leases are over don't count. */
    int inFlight();

    /** How many successes wait to be recorded, because the store hasn't answered. */
    int pendingCompletions();

    /** How many successes and releases wait for an answer of the store. */
    int pendingWrites();
}
