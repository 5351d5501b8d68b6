package io.dedup.store;

import io.dedup.DedupKey;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.policy.Window;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Keeps the two-phase records: PROCESSING with a lease, then DONE with a window.
 *
 * <p>Every transition is atomic, takes the store's clock for the only clock, and changes nothing for one who isn't the
 * owner. A record whose lease ended or that was released longer than {@link #attemptRetention()} ago, and a DONE record
 * past its window, count as absent.
 *
 * <p>Thread-safe. Calls block, but not for long: an implementation has time-outs of its own, never waits for a lease,
 * and never retries what may have been applied without recognising itself. A single form throws
 * {@link io.dedup.DedupStoreException} when it has no answer; a batch form answers in the order of the requests, one answer per
 * request, with {@code StoreError} for those it has none for, and may throw when it has none at all. A batch holds each
 * key once, means exactly what the single calls would, and may be of any size: an implementation cuts it into pieces.
 *
 * <p>What not every store can do is an interface of its own, which a store implements besides this one:
 * {@code StuckRecordFinder} and {@code ResettableStore} in {@code io.dedup.store.operator}.
 */
public interface DedupStore extends AutoCloseable {
    /** For logs and metrics: {@code redis}, {@code jdbc}, {@code memory} … */
    String name();

    /** How long attempts, deaths and tokens of an unfinished message outlive its last lease. */
    Duration attemptRetention();

    /** Tries to become the one who runs the handler. */
    ClaimResult claim(ClaimRequest request);

    List<ClaimResult> claimAll(List<ClaimRequest> requests);

    /**
     * PROCESSING by this owner becomes DONE, even after the lease ran out if nobody took over.
     *
     * @throws ResultTooLargeException when the store doesn't take a result of this size; nothing was changed
     */
    WriteResult complete(CompleteRequest request);

    List<WriteResult> completeAll(List<CompleteRequest> requests);

    /** PROCESSING by this owner becomes claimable at once. */
    WriteResult release(ReleaseRequest request);

    List<WriteResult> releaseAll(List<ReleaseRequest> requests);

    /** PROCESSING by this owner is held on, even after the lease ran out if nobody took over. */
    WriteResult renew(RenewRequest request);

    /**
     * The heartbeat's form: on a connection of its own, and not held up by rows that somebody has locked (those answer
     * {@code StoreError} or are renewed; never {@code LeaseLost}).
     */
    List<WriteResult> renewAll(List<RenewRequest> requests);

    /** The record, or empty where there is none or it is expired. */
    Optional<StoredRecord> find(DedupKey key);

    /** Removes the record; the next copy of the message runs again, with attempt 1 and a higher fencing token. */
    OperatorResult forget(DedupKey key, LiveLease liveLease);

    /** Makes the record DONE without a run: copies of the message are <b>acked without an effect</b>. */
    OperatorResult forceDone(DedupKey key, Window window, LiveLease liveLease);

    /**
     * What was found at start that may lose records, a sentence or two each, with what to change; the same for the life of the
     * store, and logged by it already. For those that would rather not start. Never null; by default empty.
     */
    default List<String> warnings() {
        return List.of();
    }

    /**
     * The largest result that the store can keep with a record, in bytes; a larger one isn't sent to it. By default any that a
     * policy permits. A request with a larger one answers {@code StoreError} with a {@link ResultTooLargeException}.
     */
    default int maxResultBytes() {
        return Integer.MAX_VALUE;
    }

    /**
     * Returns when the store can be written: claims would succeed. It leaves no record. A store that only answers reads, such as
     * a database that became read-only in a switch-over, fails.
     *
     * @throws io.dedup.DedupStoreException when it doesn't answer, or takes no writes
     */
    void ping();

    /** Frees what the store itself opened; connections and pools that were handed in stay open. */
    @Override
    void close();
}
