package io.dedup;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs handlers once per business message ID: the idempotent consumer (Hohpe and Woolf, <i>Enterprise Integration
 * Patterns</i>, "Idempotent Receiver").
 *
 * <p>Usable on its own, for a broker without an adapter or for an HTTP handler; the broker modules are built on it, too.
 * {@code io.dedup.engine.Deduplicators.builder(store)} builds one. Thread-safe; make one for each consumer name, and close it
 * after the consumers have stopped. It doesn't own its store.
 *
 * <p>An interface, so that an application's unit tests can replace it. A broker module needs one that the builder has built.
 */
public interface Deduplicator extends AutoCloseable {
    /** The consumer name: listeners of different names never suppress each other. */
    String consumer();

    /** The scope and the policy of a topic. */
    DedupTopic topic(String name);

    /**
     * The key of a business message ID.
     *
     * @throws MissingMessageIdException when {@link DedupKey#problemWith} finds the ID unusable
     */
    default DedupKey key(String topic, @Nullable String rawMessageId) {
        return topic(topic).scope().key(rawMessageId);
    }

    /** As {@link #execute(DedupCall, DedupHandler)}, without a result for duplicates. */
    default <R extends @Nullable Object, X extends Throwable> DedupOutcome<R> execute(
            DedupKey key, DedupHandler<R, X> handler) throws X {
        return execute(DedupCall.of(key), handler);
    }

    /**
     * Runs the handler if this caller wins the claim, and records its success. Two round trips for a new message, one
     * for a duplicate; blocks for them, and up to {@code inFlightWait} for a message in flight elsewhere.
     *
     * <p>In a transactional mode, opens the transaction as well: the handler joins it. A thread that has one already
     * gets {@link DedupOutcome.Deferred}, and the log an error.
     *
     * @throws X what the handler throws, after its claim was released
     */
    <R extends @Nullable Object, X extends Throwable> DedupOutcome<R> execute(
            DedupCall<R> call, DedupHandler<R, X> handler) throws X;

    /**
     * As {@link #execute(DedupCall, DedupHandler)} for work that ends with a stage. Claims on the calling thread, and
     * blocks it for that; records the end on a thread of its own.
     *
     * <p>A stage that is cancelled or times out may still be working: its claim isn't released, its lease runs out.
     * Cancelling what this returns changes nothing.
     *
     * @return ends after the store has answered; fails as the handler or its stage does
     * @throws IllegalArgumentException in a transactional mode: a transaction belongs to one thread
     */
    <R extends @Nullable Object> CompletionStage<DedupOutcome<R>> executeAsync(
            DedupCall<R> call, AsyncDedupHandler<R> handler);

    /**
     * Runs the handler with the new ones of a batch: one round trip to claim all, one to complete all. The batch
     * succeeds or fails as a whole; copies of an ID within it are handled once.
     *
     * <p>When some message of the batch was running as a process died and {@code maxDeaths} is set, the handler is
     * called with one item at a time instead, so that only the one that kills is charged.
     *
     * @return an outcome for each item, in order
     * @throws X what the handler throws, after all claims of that call were released
     */
    <T, X extends Throwable> List<DedupOutcome<@Nullable Void>> executeAll(
            List<T> items, Function<? super T, DedupKey> keyOf, BatchDedupHandler<T, X> handler) throws X;

    /**
     * An operator's command: the next copy of the message runs again, whatever its mode. In mode TIERED, a store in front that
     * crashes before it has persisted this has the message as done again: then repeat it.
     *
     * <p>A handler without a lease isn't seen while it runs, since its record isn't visible before the commit: in mode
     * TRANSACTIONAL, and in mode TIERED when the store in front didn't answer as it began. Nothing is refused then, and
     * the handler commits as usual. So stop the topic's consumers first.
     *
     * @param liveLease what to do while a handler may be running, by its lease
     * @return {@code LEASE_LIVE} when a handler may be running and {@link LiveLease#RESPECT} was asked for: nothing is changed,
     *     except where it began during this call
     * @throws DedupStoreException when the store or the database doesn't answer: repeat it
     */
    OperatorResult forget(DedupKey key, LiveLease liveLease);

    /**
     * An operator's command for mode TIERED, after the database was restored to an earlier state: without it, the store in
     * front would take messages for done whose effect is gone. Stop all consumers before: this forgets whatever the store has,
     * also of topics in mode LEASED and of other consumers that share it, and those messages run again.
     *
     * @return how many records the store in front has forgotten
     * @throws DedupStoreException when it isn't certain that all are forgotten: call it again
     * @throws IllegalStateException when no topic is in mode TIERED: the store would be the only one to know
     * @throws UnsupportedOperationException when the store isn't made to be in front
     */
    long resetFront();

    /**
     * Admits nothing any more, waits for running handlers while their leases are renewed (at most
     * {@code shutdownTimeout}; not for those whose renewals and lease are over), and tries once more to record what the store
     * hasn't recorded.
     */
    @Override
    void close();
}
