package io.dedup;

import io.dedup.migration.ImportReport;
import io.dedup.migration.ImportedId;
import io.dedup.privacy.Erasure;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs a handler once per business message ID, following the Idempotent Receiver pattern (Hohpe and Woolf,
 * <i>Enterprise Integration Patterns</i>).
 *
 * <p>Use it directly for a broker without an adapter or for an HTTP handler; the broker modules are built on it, too.
 * Create one with {@code io.dedup.engine.Deduplicators.builder(store)} for each consumer name, and close it after its
 * consumers have stopped. Closing it does not close the store. Thread-safe.
 *
 * <p>This is an interface so that unit tests of an application can replace it. Broker modules accept only instances
 * that the builder created.
 */
public interface Deduplicator extends AutoCloseable {
    /** The consumer name. Listeners with different consumer names never affect each other. */
    String consumer();

    /** Returns the scope and the policy of a topic. */
    DedupTopic topic(String name);

    /**
     * Creates the key of a business message ID.
     *
     * @throws MissingMessageIdException if {@link DedupKey#problemWith} finds the ID unusable
     */
    default DedupKey key(String topic, @Nullable String rawMessageId) {
        return topic(topic).scope().key(rawMessageId);
    }

    /** Like {@link #execute(DedupCall, DedupHandler)}, without keeping a result for duplicates. */
    default <R extends @Nullable Object, X extends Throwable> DedupOutcome<R> execute(
            DedupKey key, DedupHandler<R, X> handler) throws X {
        return execute(DedupCall.of(key), handler);
    }

    /**
     * Claims the message, runs the handler if the claim succeeds, and records its success. Takes two round trips to the
     * store for a new message and one for a duplicate. Blocks for those, and for up to {@code inFlightWait} while the
     * message is in flight elsewhere.
     *
     * <p>In a transactional mode, also opens the transaction that the handler joins. If the thread is already in a
     * transaction, returns {@link DedupOutcome.Deferred} and logs an error.
     *
     * @throws IllegalStateException in mode LEASED, if the thread is in a transaction of Spring's: a rollback would undo the
     *     effect, but the message would be recorded as done. Nothing is claimed then. Shadow mode handles it as ever
     * @throws X the exception of the handler, after its claim was released
     */
    <R extends @Nullable Object, X extends Throwable> DedupOutcome<R> execute(
            DedupCall<R> call, DedupHandler<R, X> handler) throws X;

    /**
     * Like {@link #execute(DedupCall, DedupHandler)}, for work that ends when a stage completes. Claims the message on
     * the calling thread, which blocks meanwhile; records the success on a thread of the framework.
     *
     * <p>If the stage is cancelled or times out, the work may still be running: the claim is not released and expires
     * with its lease. Cancelling the returned stage has no effect.
     *
     * @return completes after the store has answered; fails as the handler or its stage does
     * @throws IllegalArgumentException in a transactional mode, because a transaction is bound to one thread
     * @throws IllegalStateException if the thread is in a transaction of Spring's, as {@link #execute(DedupCall, DedupHandler)}
     */
    <R extends @Nullable Object> CompletionStage<DedupOutcome<R>> executeAsync(
            DedupCall<R> call, AsyncDedupHandler<R> handler);

    /**
     * Runs the handler with the new items of a batch. Takes one round trip to claim all items and one to complete them.
     * The new items succeed or fail together; copies of an ID within the batch are handled once.
     *
     * <p>If {@code maxDeaths} is set and an item was in flight when a process crashed, the handler is called with one
     * item at a time instead, so that only the item that crashes the process is counted.
     *
     * @param keyOf an item for which it throws a {@link MissingMessageIdException}, as {@link #key} does, is rejected, and the
     *     others run. Put a rejected item aside: nothing else reports it. Whatever else is thrown leaves the call before
     *     anything is claimed
     * @return an outcome for each item, in order
     * @throws IllegalStateException if an item is in mode LEASED, and the thread is in a transaction of Spring's, as
     *     {@link #execute(DedupCall, DedupHandler)}
     * @throws X the exception of the handler, after all claims of that call were released
     */
    <T, X extends Throwable> List<DedupOutcome<@Nullable Void>> executeAll(
            List<T> items, Function<? super T, DedupKey> keyOf, BatchDedupHandler<T, X> handler) throws X;

    /**
     * Deletes the record, so that the next delivery of this message is handled again, in every mode. Intended for
     * operators. If a store that answers before it has persisted and replicated the deletion, such as Redis, crashes or
     * fails over, it reports the message as done again; then repeat the call.
     *
     * <p>A handler without a lease cannot be detected while it runs, because its record is not visible before the
     * commit. This applies to mode TRANSACTIONAL, and to mode TIERED if the front store did not answer when the handler
     * started. Nothing is refused then, and the handler commits as usual. Stop the consumers of the topic first.
     *
     * @param liveLease what to do if a handler may be running, according to its lease
     * @return {@code LEASE_LIVE} if a handler may be running and {@link LiveLease#RESPECT} was passed; the record is
     *     then unchanged, unless the handler started during this call
     * @throws DedupStoreException if the store or the database does not answer: repeat the call
     */
    OperatorResult forget(DedupKey key, LiveLease liveLease);

    /** Like {@link #importDone(String, Stream, Consumer)}, without reporting progress. */
    default ImportReport importDone(String topic, Stream<ImportedId> ids) {
        return importDone(topic, ids, progress -> {});
    }

    /**
     * Records messages as done that were handled before, so that their duplicates are not handled. Takes one round trip
     * for a batch of several hundred IDs, in every mode; in the modes TRANSACTIONAL and TIERED the records are written to
     * the table. Consumers may be running. Intended for moving to dedup, or from one store to another.
     *
     * <p>A window counts from an ID's own completion, as long as the topic's policy says. An ID whose window has ended is
     * skipped. A live lease is not touched. If the message is recorded as done, the record keeps the later of both
     * completion times and of both ends of the window. A message that has failed so far, and is not being handled,
     * becomes done. Repeating an import changes nothing.
     *
     * <p>The scope is that of the topic's ordinary listener. Dead-letter handlers and shadow mode have their own and are
     * not affected.
     *
     * @param topic as the listener names it; a retry topic has the name of its main topic
     * @param ids in any order; read lazily on the calling thread, and not closed
     * @param progress receives the report so far after each batch, on the calling thread. An exception ends the import
     * @return the final report
     * @throws DedupStoreException if the store gives no answer; the message has the number of IDs that were read. What was
     *     imported stays: repeat the call, or continue behind these IDs
     * @throws UnsupportedOperationException if the store cannot import records
     */
    ImportReport importDone(String topic, Stream<ImportedId> ids, Consumer<ImportReport> progress);

    /**
     * Deletes everything that this deduplicator's stores have of a message ID, in the scopes of all consumers and
     * topics, for privacy requests: records, results and fingerprints. Repeat it while {@link Erasure#liveScopes} is not
     * empty. A redelivery of an erased message is handled again.
     *
     * <p>Not erased: the messages themselves, in the broker and its dead-letter topics; logs; backups of the store;
     * records of dead-letter handlers, whose IDs are positions in a topic; and records that other processes are about
     * to write, in a transaction or in the background. To be certain, repeat the call after {@code maxProcessingTime}, or
     * stop the consumers first.
     *
     * <p>If IDs are hashed, deletes the hash under this deduplicator's key, and the plain ID. May read every record of a
     * Redis store, which takes time, but does not block other calls.
     *
     * @param rawMessageId as taken from a message
     * @param liveLease what to do with a record whose handler may be running, according to its lease
     * @throws IllegalArgumentException if {@link DedupKey#problemWith} finds the ID unusable
     * @throws DedupStoreException if records may be left: repeat the call
     * @throws UnsupportedOperationException if a store does not support this: call {@link #forget} for each scope
     */
    Erasure erase(String rawMessageId, LiveLease liveLease);

    /**
     * Deletes all records of the front store in mode TIERED. Call it after the database was restored to an earlier
     * state: otherwise the front store would report messages as done whose effects are gone. Stop all consumers first:
     * this also deletes the records of topics in mode LEASED and of other consumers that share the store, and those
     * messages are handled again if redelivered. Intended for operators.
     *
     * @return the number of deleted records
     * @throws DedupStoreException if records may be left: repeat the call
     * @throws IllegalStateException if no topic is in mode TIERED, because the store then holds the only records
     * @throws UnsupportedOperationException if the store cannot be a front store
     */
    long resetFront();

    /**
     * Stops accepting messages, waits for running handlers for up to {@code shutdownTimeout} while it renews their
     * leases, and tries once more to record successes that the store has not recorded. Does not wait for handlers whose
     * leases have expired and are no longer renewed.
     */
    @Override
    void close();
}
