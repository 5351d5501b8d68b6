package io.dedup.store.redis;

import io.dedup.DedupKey;
import io.dedup.DedupStoreException;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.policy.Window;
import io.dedup.privacy.Erasure;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.DedupStore;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.StoredRecord;
import io.dedup.store.WriteResult;
import io.dedup.store.operator.ImportRequest;
import io.dedup.store.operator.ImportResult;
import io.dedup.store.operator.ImportingStore;
import io.dedup.store.operator.RecordEraser;
import io.dedup.store.operator.ResettableStore;
import io.dedup.store.operator.StuckQuery;
import io.dedup.store.operator.StuckRecordFinder;
import io.dedup.store.operator.StuckRecords;
import io.dedup.store.redis.internal.check.NamespaceGuard;
import io.dedup.store.redis.internal.client.RedisLinks;
import io.dedup.store.redis.internal.operator.NamespaceOperations;
import io.dedup.store.redis.internal.packed.OvergrownBuckets;
import io.dedup.store.redis.internal.record.RecordOperations;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Stores records in Redis 6.2 or newer, with one atomic round trip per operation, however many messages it has.
 *
 * <p>Redis may lose data that it has acknowledged: by eviction, by {@code FLUSHDB}, or by a failover to a replica that
 * lags behind. Messages whose records are lost are handled again if redelivered.
 *
 * <p>Thread-safe. No call waits longer than the command timeout for an answer. A call that needs several requests (a
 * batch of more than a few thousand keys, or the first call after a server lost its scripts) ends with the first
 * request that gets no answer. An interrupt ends a call and leaves the thread's interrupt flag set.
 */
public final class RedisDedupStore
        implements DedupStore, StuckRecordFinder, ResettableStore, ImportingStore, RecordEraser {
    private static final Duration STUCK_LIMIT = Duration.ofSeconds(30);

    private final RedisLinks links;
    private final RecordOperations records;
    private final NamespaceOperations namespace;
    private final NamespaceGuard guard;
    private final boolean packed;
    private final OvergrownBuckets overgrown;
    private final Duration attemptRetention;
    private final List<String> warnings;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Created by {@link StoreAssembly}. */
    RedisDedupStore(
            RedisLinks links,
            RecordOperations records,
            NamespaceOperations namespace,
            NamespaceGuard guard,
            boolean packed,
            OvergrownBuckets overgrown,
            Duration attemptRetention,
            List<String> warnings) {
        this.links = links;
        this.records = records;
        this.namespace = namespace;
        this.guard = guard;
        this.packed = packed;
        this.overgrown = overgrown;
        this.attemptRetention = attemptRetention;
        this.warnings = warnings;
    }

    /** Returns a builder of a store. */
    public static RedisDedupStoreBuilder builder() {
        return new RedisDedupStoreBuilder();
    }

    @Override
    public String name() {
        return "redis";
    }

    @Override
    public Duration attemptRetention() {
        return attemptRetention;
    }

    @Override
    public List<String> warnings() {
        return warnings;
    }

    /**
     * How often a completion found that the server stores a bucket of packed records in its larger form; one completion
     * in 64 looks. 0 if the store doesn't pack.
     */
    public long overgrownBuckets() {
        return overgrown.count();
    }

    @Override
    public List<ClaimResult> claim(List<ClaimRequest> requests) {
        return records.claim(requests);
    }

    @Override
    public List<WriteResult> complete(List<CompleteRequest> requests) {
        return records.complete(requests);
    }

    @Override
    public List<WriteResult> release(List<ReleaseRequest> requests) {
        return records.release(requests);
    }

    @Override
    public List<WriteResult> renew(List<RenewRequest> requests) {
        return records.renew(requests);
    }

    @Override
    public Optional<StoredRecord> find(DedupKey key) {
        return records.find(key);
    }

    /**
     * {@inheritDoc}
     *
     * <p>Scans the keys of every master, 1,000 at a time, and reads those of the namespace in batches of the maximum
     * size. After 30 s it returns the records found so far, marked as incomplete.
     */
    @Override
    public StuckRecords findStuck(StuckQuery query) {
        return findStuck(query, STUCK_LIMIT);
    }

    StuckRecords findStuck(StuckQuery query, Duration limit) {
        return namespace.findStuck(query, limit);
    }

    @Override
    public List<ImportResult> importDone(List<ImportRequest> requests) {
        return records.importDone(requests);
    }

    @Override
    public OperatorResult forget(DedupKey key, LiveLease liveLease) {
        return records.forget(key, liveLease);
    }

    @Override
    public OperatorResult forceDone(DedupKey key, Window window, LiveLease liveLease) {
        return records.forceDone(key, window, liveLease);
    }

    /**
     * {@inheritDoc}
     *
     * <p>Scans all keys of every master, because a key begins with its scope: one round trip for every 1,000 keys of the
     * server, of all namespaces, and one for each record. Can be interrupted between them. Succeeds only if it has
     * scanned every server completely and all connected replicas have received the deletions. If the scopes are known,
     * {@link #forget} for each of them takes a round trip only.
     *
     * @throws UnsupportedOperationException if records are packed: those keep neither their IDs nor their scopes
     */
    @Override
    public Erasure erase(String storedId, LiveLease liveLease) {
        checkErasing();
        return namespace.erase(storedId, liveLease);
    }

    @Override
    public void checkErasing() {
        if (packed) {
            throw new UnsupportedOperationException("Store redis cannot erase an ID in all scopes: packed records keep"
                    + " neither IDs nor scopes. Call forget for each scope");
        }
    }

    /**
     * {@inheritDoc}
     *
     * <p>Deletes only the records of this namespace and keeps its attempt retention. Takes one or two round trips for
     * every 1,000 keys of the server, of all namespaces, and can be interrupted between them. Succeeds only if it has
     * scanned every server completely and all connected replicas have received the deletions.
     *
     * @throws DedupStoreException if records may be left: repeat the call
     */
    @Override
    public long forgetAll() {
        return namespace.forgetAll();
    }

    /**
     * {@inheritDoc}
     *
     * <p>Tries to write the namespace's attempt retention, which fails on a replica and on a server without memory for
     * claims. Then reads it, to detect a server that has lost its data or was replaced. Takes three round trips, and
     * one more for each server of a cluster, all of which must accept writes.
     */
    @Override
    public void ping() {
        guard.checkWriting("ping");
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            links.close();
        }
    }
}
