package io.dedup.store.redis.internal.record;

import io.dedup.DedupKey;
import io.dedup.DedupStoreException;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.policy.Window;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.StepRequest;
import io.dedup.store.StoredRecord;
import io.dedup.store.WriteResult;
import io.dedup.store.operator.ImportRequest;
import io.dedup.store.operator.ImportResult;
import io.dedup.store.redis.internal.connection.RedisLink;
import io.dedup.store.redis.internal.script.ReplicaConfirmation;
import io.dedup.store.redis.internal.script.ScriptCall;
import io.dedup.store.redis.internal.script.ScriptRunner;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** The operations on records: which script, on which connection, confirmed by how many replicas. */
public final class RecordOperations {
    private final RedisLink main;
    private final RedisLink heartbeat;
    private final ScriptRunner runner;
    private final ScriptCalls calls;
    private final @Nullable NativeClaim nativeClaim;
    private final int maxBatch;
    private final ReplicaConfirmation confirmation;

    /**
     * @param main for everything but the heartbeat
     * @param heartbeat for renewals
     * @param nativeClaim null where the servers don't have it, or it isn't wanted
     * @param maxBatch keys in one script call
     * @param confirmation for claims, steps, completions, and what an operator changes
     */
    public RecordOperations(
            RedisLink main,
            RedisLink heartbeat,
            ScriptRunner runner,
            ScriptCalls calls,
            @Nullable NativeClaim nativeClaim,
            int maxBatch,
            ReplicaConfirmation confirmation) {
        this.main = main;
        this.heartbeat = heartbeat;
        this.runner = runner;
        this.calls = calls;
        this.nativeClaim = nativeClaim;
        this.maxBatch = maxBatch;
        this.confirmation = confirmation;
    }

    public List<ClaimResult> claim(List<ClaimRequest> requests) {
        ClaimResult quick = requests.size() == 1 ? quickly(requests.get(0)) : null;
        return quick != null
                ? List.of(quick)
                : batch(
                        main,
                        requests,
                        request -> ScriptCalls.leaseMillis(request.lease()),
                        part -> calls.claim(part.common(), part.requests()),
                        confirmation,
                        ClaimResult[]::new,
                        ClaimResult.StoreError::new);
    }

    /** Claims a message by the server's own command; null if the script must answer. */
    private @Nullable ClaimResult quickly(ClaimRequest request) {
        return nativeClaim == null || request.fenced() ? null : nativeClaim.claim(main, request);
    }

    public List<WriteResult> complete(List<CompleteRequest> requests) {
        return write(
                main,
                requests,
                request -> ScriptCalls.windowMillis(request.window()),
                part -> calls.complete(part.common(), part.requests()),
                confirmation);
    }

    /** Not replicated: a release that a failover loses only costs the rest of the lease. */
    public List<WriteResult> release(List<ReleaseRequest> requests) {
        return write(main, requests, request -> 0, part -> calls.release(part.requests()), ReplicaConfirmation.NONE);
    }

    public List<WriteResult> renew(List<RenewRequest> requests) {
        return write(
                heartbeat,
                requests,
                request -> ScriptCalls.leaseMillis(request.lease()),
                part -> calls.renew(part.common(), part.requests()),
                ReplicaConfirmation.NONE);
    }

    public List<WriteResult> keepSteps(List<StepRequest> requests) {
        return write(main, requests, request -> 0, part -> calls.keepSteps(part.requests()), confirmation);
    }

    public List<ImportResult> importDone(List<ImportRequest> requests) {
        return batch(
                main,
                requests,
                request -> ScriptCalls.windowMillis(request.window()),
                part -> calls.importDone(part.common(), part.requests()),
                confirmation,
                ImportResult[]::new,
                ImportResult.StoreError::new);
    }

    private <Q> List<WriteResult> write(
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
        List<BatchPart<Q>> parts = BatchPart.cut(requests, common, batchSize(link));
        List<ScriptCall<R[]>> sent = parts.size() == 1 // nearly always
                ? List.of(newCall.apply(parts.get(0)))
                : parts.stream().map(newCall).toList();
        runner.runAll(link, sent, wanted);
        if (sent.size() == 1 && sent.get(0).failure() == null) {
            return Arrays.asList(sent.get(0).answer());
        }
        R[] answers = newAnswers.apply(requests.size());
        for (int i = 0; i < sent.size(); i++) {
            BatchPart<Q> part = parts.get(i);
            ScriptCall<R[]> call = sent.get(i);
            DedupStoreException failure = call.failure();
            for (int j = 0; j < part.requests().size(); j++) {
                answers[part.position(j)] = failure == null ? call.answer()[j] : newError.apply(failure);
            }
        }
        return Arrays.asList(answers);
    }

    private int batchSize(RedisLink link) {
        return link.isCluster() ? 1 : maxBatch;
    }

    public Optional<StoredRecord> find(DedupKey key) {
        return runner.run(main, calls.find(key), ReplicaConfirmation.NONE);
    }

    /**
     * Returns the unfinished records among some keys that were claimed, or left, that long ago; by their position.
     *
     * @param keys as stored
     * @throws DedupStoreException if any key got no answer
     */
    public Map<Integer, StoredRecord> stuckAmong(List<byte[]> keys, Duration olderThan) {
        List<BatchPart<byte[]>> parts = BatchPart.cut(keys, key -> 0, batchSize(main));
        List<ScriptCall<Map<Integer, StoredRecord>>> sent = parts.stream()
                .map(part -> calls.stuck(part.requests(), olderThan.toMillis()))
                .toList();
        runner.runAll(main, sent, ReplicaConfirmation.NONE);
        Map<Integer, StoredRecord> stuck = new TreeMap<>();
        for (int i = 0; i < sent.size(); i++) {
            DedupStoreException failure = sent.get(i).failure();
            if (failure != null) {
                throw failure;
            }
            BatchPart<byte[]> part = parts.get(i);
            sent.get(i).answer().forEach((index, record) -> stuck.put(part.position(index), record));
        }
        return stuck;
    }

    public OperatorResult forget(DedupKey key, LiveLease liveLease) {
        return OperatorResult.valueOf(
                runner.run(main, calls.forget(key, liveLease == LiveLease.OVERRIDE), confirmation));
    }

    /** @param key as stored */
    public OperatorResult forgetStored(byte[] key, LiveLease liveLease) {
        return OperatorResult.valueOf(
                runner.run(main, calls.forgetStored(key, liveLease == LiveLease.OVERRIDE), confirmation));
    }

    public OperatorResult forceDone(DedupKey key, Window window, LiveLease liveLease) {
        return OperatorResult.valueOf(
                runner.run(main, calls.forceDone(key, window, liveLease == LiveLease.OVERRIDE), confirmation));
    }
}
