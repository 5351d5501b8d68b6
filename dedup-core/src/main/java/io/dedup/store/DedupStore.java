package io.dedup.store;

import io.dedup.DedupKey;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.policy.Window;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Stores the records of messages: PROCESSING with a lease, then DONE with a window.
 *
 * <p>Every transition is atomic, uses the store's clock only, and changes nothing for a caller that is not the owner.
 * These records count as absent: an unfinished record whose lease ended, or that was released, longer than
 * {@link #attemptRetention()} ago; and a DONE record whose window has ended.
 *
 * <p>Thread-safe. Calls block, but not for long: an implementation has its own timeouts, never waits for a lease, and
 * does not retry a request that may have been applied unless it can recognize its own write.
 *
 * <p>{@link #claim}, {@link #complete}, {@link #release} and {@link #renew} take a list. <b>A list of one request is the
 * usual case</b>, because most messages are handled one by one: it must cost no more than a call of its own would. Each
 * call returns one result per request, in order, with {@code StoreError} for a request without an answer. It may throw
 * {@link io.dedup.DedupStoreException} instead if no request has an answer. A list contains each key once, and what
 * happens to one of its requests doesn't depend on the others. It may be empty, and may be of any size: the
 * implementation splits it. Neither side changes a list that it has passed or returned.
 *
 * <p>Optional capabilities are separate interfaces that a store also implements: {@link StepRecords},
 * and {@code StuckRecordFinder}, {@code ResettableStore} and {@code ImportingStore} in {@code io.dedup.store.operator}.
 */
public interface DedupStore extends AutoCloseable {
    /** The name of this store for logs and metrics: {@code redis}, {@code jdbc}, {@code memory} … */
    String name();

    /** How long attempts, deaths and tokens of an unfinished message are kept after its last lease. */
    Duration attemptRetention();

    /** Claims messages for handlers. */
    List<ClaimResult> claim(List<ClaimRequest> requests);

    /**
     * Changes PROCESSING by these owners to DONE. Also succeeds after a lease has expired, unless another owner has
     * taken over. If a result exceeds the limit of the store, nothing is changed for its request, and the answer is
     * {@code StoreError} with a {@link ResultTooLargeException}.
     */
    List<WriteResult> complete(List<CompleteRequest> requests);

    /** Releases the claims of these owners, so that their messages can be claimed again at once. */
    List<WriteResult> release(List<ReleaseRequest> requests);

    /**
     * Renews the leases of these owners' claims, for the heartbeat. Also succeeds after a lease has expired, unless
     * another owner has taken over. Uses its own connection and does not wait for rows that another session has locked:
     * those are renewed or return {@code StoreError}, but never {@code LeaseLost}.
     */
    List<WriteResult> renew(List<RenewRequest> requests);

    /** Returns the record; empty if there is none or it has expired. */
    Optional<StoredRecord> find(DedupKey key);

    /**
     * Deletes the record, so that the next delivery of the message is handled again, with attempt 1 and a higher
     * fencing token.
     */
    OperatorResult forget(DedupKey key, LiveLease liveLease);

    /** Marks the message as done without handling it: later deliveries are <b>acknowledged without an effect</b>. */
    OperatorResult forceDone(DedupKey key, Window window, LiveLease liveLease);

    /**
     * Problems found at start that may lose records, each in a sentence or two with what to change. The list does not
     * change while the store is open, and the store has already logged it; an application can refuse to start because
     * of it. Never null; empty by default.
     */
    default List<String> warnings() {
        return List.of();
    }

    /**
     * The maximum size in bytes of a result that the store can keep with a record; larger results are not sent to it.
     * By default, whatever a policy permits. A request with a larger result returns {@code StoreError} with a
     * {@link ResultTooLargeException}.
     */
    default int maxResultBytes() {
        return Integer.MAX_VALUE;
    }

    /**
     * Checks that the store accepts writes, so that claims would succeed. Leaves no record. Fails for a store that only
     * answers reads, such as a database that became read-only after a switch-over.
     *
     * @throws io.dedup.DedupStoreException if the store does not answer or accepts no writes
     */
    void ping();

    /** Closes what the store opened itself. Connections and pools that the caller passed in stay open. */
    @Override
    void close();
}
