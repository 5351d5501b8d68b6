package io.dedup.store.redis;

import io.dedup.DedupKey;
import io.dedup.Window;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.DedupStore;
import io.dedup.store.DedupStoreException;
import io.dedup.store.OperatorResult;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.StoredRecord;
import io.dedup.store.StuckQuery;
import io.dedup.store.StuckRecords;
import io.dedup.store.WriteResult;
import io.dedup.store.redis.internal.check.RetentionGuard;
import io.dedup.store.redis.internal.check.StartCheck;
import io.dedup.store.redis.internal.client.RedisLinks;
import io.dedup.store.redis.internal.connection.CommandExchange;
import io.dedup.store.redis.internal.connection.RedisErrors;
import io.dedup.store.redis.internal.connection.RedisLink;
import io.dedup.store.redis.internal.operator.ForgetAll;
import io.dedup.store.redis.internal.operator.StuckScan;
import io.dedup.store.redis.internal.record.BatchPart;
import io.dedup.store.redis.internal.record.NativeClaim;
import io.dedup.store.redis.internal.record.RecordKeys;
import io.dedup.store.redis.internal.record.ScriptCalls;
import io.dedup.store.redis.internal.record.Scripts;
import io.dedup.store.redis.internal.script.ReplicaConfirmation;
import io.dedup.store.redis.internal.script.ScriptCall;
import io.dedup.store.redis.internal.script.ScriptRunner;
import io.dedup.store.redis.internal.server.ServerFacts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Keeps records in Redis 6.2 or newer: one atomic round trip per operation, single or batch.
 *
 * <p>Redis may lose what it has acknowledged: by eviction, {@code FLUSHDB}, or a failover to a replica that lags. What
 * it loses is forgotten: a redelivery of such a message runs again.
 *
 * <p>Thread-safe. No call waits longer than the command time-out for an answer. A call that has to ask more than once
 * (a batch larger than a few thousand keys, the first call after a server lost its scripts) ends with the first question
 * that gets none. An interrupt ends a call, with the thread's flag still set.
 */
public final class RedisDedupStore implements DedupStore {
    private static final Duration STUCK_LIMIT = Duration.ofSeconds(30);

    private final RedisLinks links;
    private final Duration attemptRetention;
    private final int maxBatch;
    private final List<String> warnings;
    private final ReplicaConfirmation confirmation;
    private final Supplier<ForgetAll> forgetAll;
    private final BiFunction<StuckQuery, Duration, StuckScan> stuckScan;
    private final ScriptRunner runner;
    private final ScriptCalls calls;
    private final RetentionGuard retentionGuard;
    private final byte[] pingKey;
    private final @Nullable NativeClaim nativeClaim;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Opened by {@link RedisDedupStoreBuilder#build()}, which closes the servers when this throws. */
    RedisDedupStore(RedisLinks links, RedisSettings settings) {
        this.links = links;
        this.attemptRetention = settings.attemptRetention();
        this.maxBatch = settings.maxBatch();
        this.confirmation = settings.confirmation();
        RedisErrors errors = new RedisErrors(links.where(), settings.commandTimeout());
        CommandExchange exchange = new CommandExchange(errors, settings.commandTimeout());
        RecordKeys keys = new RecordKeys(settings.namespace());
        this.forgetAll = () -> new ForgetAll(links, exchange, errors, confirmation, keys);
        StartCheck start = new StartCheck(exchange, errors);
        int version = start.inspect(links.masters(), links.main().isCluster());
        this.warnings = start.warnings();
        this.pingKey = keys.pingKey();
        this.retentionGuard = new RetentionGuard(exchange, errors, keys.retentionKey(), attemptRetention);
        retentionGuard.check(links.main(), "start");
        this.runner = new ScriptRunner(exchange, errors, () -> retentionGuard.check(links.main(), "restart"));
        this.calls = new ScriptCalls(Scripts.load(version >= ServerFacts.V7_0), keys, attemptRetention, errors);
        this.stuckScan =
                (query, limit) -> new StuckScan(links, exchange, errors, runner, calls, keys, maxBatch, limit, query);
        this.nativeClaim = version >= ServerFacts.V7_0 && !confirmation.isWanted()
                ? new NativeClaim(keys, calls, exchange, errors)
                : null;
    }

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

    @Override
    public ClaimResult claim(ClaimRequest request) {
        ClaimResult quick = nativeClaim == null || request.fenced() ? null : nativeClaim.claim(links.main(), request);
        if (quick != null) {
            return quick;
        }
        ClaimResult answer = runner.run(
                        links.main(),
                        calls.claim(ScriptCalls.leaseMillis(request.lease()), List.of(request)),
                        confirmation)[0];
        if (answer instanceof ClaimResult.StoreError error) {
            throw error.cause();
        }
        return answer;
    }

    @Override
    public WriteResult complete(CompleteRequest request) {
        long window = ScriptCalls.windowMillis(request.window());
        return runner.run(links.main(), calls.complete(window, List.of(request)), confirmation)[0];
    }

    @Override
    public WriteResult release(ReleaseRequest request) {
        // Not replicated: a release that a failover loses only costs the rest of the lease.
        return runner.run(links.main(), calls.release(List.of(request)), ReplicaConfirmation.NONE)[0];
    }

    @Override
    public WriteResult renew(RenewRequest request) {
        long lease = ScriptCalls.leaseMillis(request.lease());
        return runner.run(links.main(), calls.renew(lease, List.of(request)), ReplicaConfirmation.NONE)[0];
    }

    @Override
    public List<ClaimResult> claimAll(List<ClaimRequest> requests) {
        return batch(
                links.main(),
                requests,
                request -> ScriptCalls.leaseMillis(request.lease()),
                part -> calls.claim(part.common(), part.requests()),
                confirmation,
                ClaimResult[]::new,
                ClaimResult.StoreError::new);
    }

    @Override
    public List<WriteResult> completeAll(List<CompleteRequest> requests) {
        return writeAll(
                links.main(),
                requests,
                request -> ScriptCalls.windowMillis(request.window()),
                part -> calls.complete(part.common(), part.requests()),
                confirmation);
    }

    @Override
    public List<WriteResult> releaseAll(List<ReleaseRequest> requests) {
        return writeAll(
                links.main(), requests, request -> 0, part -> calls.release(part.requests()), ReplicaConfirmation.NONE);
    }

    @Override
    public List<WriteResult> renewAll(List<RenewRequest> requests) {
        return writeAll(
                links.heartbeat(),
                requests,
                request -> ScriptCalls.leaseMillis(request.lease()),
                part -> calls.renew(part.common(), part.requests()),
                ReplicaConfirmation.NONE);
    }

    private <Q> List<WriteResult> writeAll(
            RedisLink link,
            List<Q> requests,
            ToLongFunction<Q> common,
            Function<BatchPart<Q>, ScriptCall<WriteResult[]>> newCall,
            ReplicaConfirmation wanted) {
        return batch(link, requests, common, newCall, wanted, WriteResult[]::new, WriteResult.StoreError::new);
    }

    private <Q, R> List<R> batch(
            RedisLink link,
            List<Q> requests,
            ToLongFunction<Q> common,
            Function<BatchPart<Q>, ScriptCall<R[]>> newCall,
            ReplicaConfirmation wanted,
            IntFunction<R[]> newAnswers,
            Function<DedupStoreException, R> newError) {
        List<BatchPart<Q>> parts = BatchPart.cut(requests, common, link.isCluster() ? 1 : maxBatch);
        List<ScriptCall<R[]>> sent = new ArrayList<>(parts.size());
        for (BatchPart<Q> part : parts) {
            sent.add(newCall.apply(part));
        }
        runner.runAll(link, sent, wanted);
        R[] answers = newAnswers.apply(requests.size());
        for (int i = 0; i < sent.size(); i++) {
            int[] positions = parts.get(i).positions();
            ScriptCall<R[]> call = sent.get(i);
            DedupStoreException failure = call.failure();
            for (int j = 0; j < positions.length; j++) {
                answers[positions[j]] = failure == null ? call.answer()[j] : newError.apply(failure);
            }
        }
        return Arrays.asList(answers);
    }

    @Override
    public Optional<StoredRecord> find(DedupKey key) {
        return runner.run(links.main(), calls.find(key), ReplicaConfirmation.NONE);
    }

    /**
     * {@inheritDoc}
     *
     * <p>Walks the keys of every master, 1,000 at a time, and looks at those of the namespace, in pieces of the largest batch.
     * After 30 s it answers what it has, and says that it isn't all.
     */
    @Override
    public StuckRecords findStuck(StuckQuery query) {
        return findStuck(query, STUCK_LIMIT);
    }

    StuckRecords findStuck(StuckQuery query, Duration limit) {
        return stuckScan.apply(query, limit).run();
    }

    @Override
    public OperatorResult forget(DedupKey key, boolean evenIfLeaseLive) {
        return OperatorResult.valueOf(runner.run(links.main(), calls.forget(key, evenIfLeaseLive), confirmation));
    }

    @Override
    public OperatorResult forceDone(DedupKey key, Window window, boolean evenIfLeaseLive) {
        return OperatorResult.valueOf(
                runner.run(links.main(), calls.forceDone(key, window, evenIfLeaseLive), confirmation));
    }

    /**
     * {@inheritDoc}
     *
     * <p>The namespace's records only; the attempt retention stays. Takes a round trip or two for every 1,000 keys of the
     * server, of whatever namespace, and can be interrupted between them. It ends well only when it has seen every server
     * from beginning to end, and the replicas that are connected have got all of it.
     *
     * @throws DedupStoreException when records may be left; it is to be called again
     */
    @Override
    public long forgetAll() {
        return forgetAll.get().run();
    }

    /**
     * {@inheritDoc}
     *
     * <p>Reads the namespace's attempt retention, so that a server that came back empty or as another one is noticed, after an
     * attempt to write it, which a replica refuses, and so does a server without memory for claims. Two round trips, and one more
     * for each server of a cluster, all of which have to take writes.
     */
    @Override
    public void ping() {
        retentionGuard.checkWriting(links.main(), pingKey, "ping");
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            links.opened().close();
        }
    }
}
