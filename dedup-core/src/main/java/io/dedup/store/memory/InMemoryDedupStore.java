package io.dedup.store.memory;

import static java.util.Objects.requireNonNull;

import io.dedup.DedupKey;
import io.dedup.Fingerprint;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.policy.Window;
import io.dedup.privacy.Erasure;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.DedupStore;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.StepRecords;
import io.dedup.store.StepRequest;
import io.dedup.store.StoredRecord;
import io.dedup.store.WriteResult;
import io.dedup.store.memory.MemoryRecord.Phase;
import io.dedup.store.operator.ImportRequest;
import io.dedup.store.operator.ImportResult;
import io.dedup.store.operator.ImportResult.Decision;
import io.dedup.store.operator.ImportingStore;
import io.dedup.store.operator.RecordEraser;
import io.dedup.store.operator.ResettableStore;
import io.dedup.store.operator.StuckQuery;
import io.dedup.store.operator.StuckRecord;
import io.dedup.store.operator.StuckRecordFinder;
import io.dedup.store.operator.StuckRecords;
import java.time.Duration;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Keeps records in the memory of this process: they are lost when it ends, and no other process sees them.
 *
 * <p>For tests, demos and single-process use. Expired records are removed as claims come in; memory is bounded by the
 * number of IDs claimed within a window. Thread-safe.
 */
public final class InMemoryDedupStore
        implements DedupStore, StepRecords, StuckRecordFinder, ResettableStore, ImportingStore, RecordEraser {
    /** The default attempt retention: 7 days. */
    public static final Duration DEFAULT_ATTEMPT_RETENTION = Duration.ofDays(7);

    private static final List<WriteResult> ONE_APPLIED = List.of(WriteResult.applied());

    private final ConcurrentHashMap<DedupKey, MemoryRecord> records = new ConcurrentHashMap<>();
    private final ExpirySweep sweep = new ExpirySweep(records);
    private final InstantSource clock;
    private final Duration attemptRetention;
    private final long retentionMicros;

    /** Creates a store with the system clock and the default attempt retention. */
    public InMemoryDedupStore() {
        this(InstantSource.system(), DEFAULT_ATTEMPT_RETENTION);
    }

    /**
     * Creates a store with the caller's clock, which a test can control.
     *
     * @param attemptRetention at least 1 s
     */
    public InMemoryDedupStore(InstantSource clock, Duration attemptRetention) {
        if (attemptRetention.compareTo(Duration.ofSeconds(1)) < 0) {
            throw new IllegalArgumentException("attemptRetention must be at least 1 s, but is " + attemptRetention);
        }
        this.clock = clock;
        this.attemptRetention = attemptRetention;
        this.retentionMicros = MemoryRecord.micros(attemptRetention);
    }

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public Duration attemptRetention() {
        return attemptRetention;
    }

    @Override
    public List<ClaimResult> claim(List<ClaimRequest> requests) {
        return requests.size() == 1 // the usual case
                ? List.of(claim(requests.get(0)))
                : each(requests, this::claim);
    }

    private ClaimResult claim(ClaimRequest request) {
        long now = now();
        sweep.afterClaim(now);
        // The claim is the atomic replacement itself: the owner of the record in the map has won.
        MemoryRecord mine = null;
        while (true) {
            MemoryRecord found = records.get(request.key());
            MemoryRecord current = found == null || found.isExpired(now) ? null : found;
            ClaimResult refusal = current == null ? null : refusal(current, request, now);
            if (refusal != null) {
                return refusal;
            }
            mine = MemoryRecord.claimed(current, found == null ? 0 : found.token(), request, now, retentionMicros);
            boolean won = found == null
                    ? records.putIfAbsent(request.key(), mine) == null
                    : records.replace(request.key(), found, mine);
            if (won) {
                return new ClaimResult.Acquired(
                        mine.attempt(), mine.deaths(), mine.phase().tookOver(), mine.token(), mine.result());
            }
        }
    }

    private static @Nullable ClaimResult refusal(MemoryRecord record, ClaimRequest request, long now) {
        boolean done = record.phase() == Phase.DONE;
        if (!done && (!record.isLive(now) || record.isOwnedBy(request.owner()))) {
            return null;
        }
        Fingerprint theirs = record.fingerprint();
        if (theirs != null && request.fingerprint() != null && !theirs.equals(request.fingerprint())) {
            return new ClaimResult.Conflict();
        }
        return done
                ? new ClaimResult.AlreadyDone(
                        MemoryRecord.instant(record.leaseUntil()), record.attempt(), record.result())
                : new ClaimResult.InFlight(Duration.of(record.leaseUntil() - now, ChronoUnit.MICROS));
    }

    @Override
    public List<WriteResult> complete(List<CompleteRequest> requests) {
        return write(requests, CompleteRequest::claim, InMemoryDedupStore::completed);
    }

    private static @Nullable MemoryRecord completed(MemoryRecord record, CompleteRequest request, long now) {
        if (record.isOwnedBy(request.claim().owner())) {
            return record.done(request.window(), request.result(), now);
        }
        boolean mineAlready = request.repeated()
                && record.phase() == Phase.DONE
                && record.attempt() == request.claim().attempt();
        return mineAlready ? record : null;
    }

    @Override
    public List<WriteResult> release(List<ReleaseRequest> requests) {
        return write(
                requests,
                ReleaseRequest::claim,
                (record, request, now) -> record.isOwnedBy(request.claim().owner())
                        ? record.released(request.mode(), now, retentionMicros)
                        : null);
    }

    @Override
    public List<WriteResult> renew(List<RenewRequest> requests) {
        return write(
                requests,
                RenewRequest::claim,
                (record, request, now) -> record.isOwnedBy(request.claim().owner())
                        ? record.withLease(now + MemoryRecord.micros(request.lease()), retentionMicros)
                        : null);
    }

    @Override
    public List<WriteResult> keepSteps(List<StepRequest> requests) {
        return write(
                requests,
                StepRequest::claim,
                (record, request, now) ->
                        record.isOwnedBy(request.claim().owner()) ? record.withStep(request.entry()) : null);
    }

    /** Changes a record. */
    private interface Change<Q> {
        /** The next record; null if the caller isn't the owner. */
        @Nullable
        MemoryRecord of(MemoryRecord record, Q request, long now);
    }

    private <Q> List<WriteResult> write(List<Q> requests, Function<Q, Claim> claimOf, Change<Q> change) {
        if (requests.size() == 1) { // the usual case
            Q request = requests.get(0);
            WriteResult answer = write(claimOf.apply(request).key(), request, change);
            return answer.isApplied() ? ONE_APPLIED : List.of(answer);
        }
        return each(requests, request -> write(claimOf.apply(request).key(), request, change));
    }

    private static <T, R> List<R> each(List<T> requests, Function<T, R> operation) {
        List<R> answers = new ArrayList<>(requests.size());
        for (T request : requests) {
            answers.add(operation.apply(request));
        }
        return answers;
    }

    /** Replaces the record atomically. */
    private <Q> WriteResult write(DedupKey key, Q request, Change<Q> change) {
        long now = now();
        while (true) {
            MemoryRecord found = records.get(key);
            MemoryRecord next = found == null || found.isExpired(now) ? null : change.of(found, request, now);
            if (next == null) {
                return WriteResult.leaseLost();
            }
            if (records.replace(key, requireNonNull(found), next)) {
                return WriteResult.applied();
            }
        }
    }

    @Override
    public Optional<StoredRecord> find(DedupKey key) {
        long now = now();
        MemoryRecord record = records.get(key);
        return record == null || record.isExpired(now) ? Optional.empty() : Optional.of(record.toStoredRecord(now));
    }

    @Override
    public StuckRecords findStuck(StuckQuery query) {
        long now = now();
        long before = now - MemoryRecord.micros(query.olderThan());
        List<StuckRecord> stuck = new ArrayList<>();
        for (Map.Entry<DedupKey, MemoryRecord> entry : records.entrySet()) {
            DedupKey key = entry.getKey();
            boolean wanted = query.scope() == null || query.scope().equals(key.scope());
            if (wanted && entry.getValue().isStuck(now, before)) {
                if (stuck.size() == query.limit()) {
                    return new StuckRecords(stuck, false);
                }
                StoredRecord record = entry.getValue().toStoredRecord(now);
                stuck.add(new StuckRecord(key.scope().text(), key.messageId(), record));
            }
        }
        return new StuckRecords(stuck, true);
    }

    @Override
    public OperatorResult forget(DedupKey key, LiveLease liveLease) {
        while (true) {
            MemoryRecord found = records.get(key);
            long now = now();
            if (found == null || found.isExpired(now)) {
                return OperatorResult.ABSENT;
            }
            if (found.isLive(now) && liveLease == LiveLease.RESPECT) {
                return OperatorResult.LEASE_LIVE;
            }
            if (records.remove(key, found)) {
                return OperatorResult.APPLIED;
            }
        }
    }

    @Override
    public OperatorResult forceDone(DedupKey key, Window window, LiveLease liveLease) {
        long now = now();
        MemoryRecord after = requireNonNull(records.compute(key, (k, found) -> {
            if (found != null && found.isLive(now) && liveLease == LiveLease.RESPECT) {
                return found;
            }
            MemoryRecord base = found == null || found.isExpired(now)
                    ? MemoryRecord.none(found == null ? 0 : found.token())
                    : found;
            return base.done(window, null, now);
        }));
        return after.phase() == Phase.DONE ? OperatorResult.APPLIED : OperatorResult.LEASE_LIVE;
    }

    @Override
    public List<ImportResult> importDone(List<ImportRequest> requests) {
        return each(requests, this::importOne);
    }

    private ImportResult importOne(ImportRequest request) {
        long now = now();
        if (now >= MemoryRecord.endOf(request)) {
            return Decision.OVER;
        }
        while (true) {
            MemoryRecord found = records.get(request.key());
            MemoryRecord current = found == null || found.isExpired(now)
                    ? MemoryRecord.none(found == null ? 0 : found.token())
                    : found;
            if (current.isLive(now)) {
                return Decision.HELD;
            }
            MemoryRecord next = current.imported(request);
            if (next == null) {
                return Decision.KNOWN;
            }
            boolean won = found == null
                    ? records.putIfAbsent(request.key(), next) == null
                    : records.replace(request.key(), found, next);
            if (won) {
                return Decision.IMPORTED;
            }
        }
    }

    @Override
    public Erasure erase(String storedId, LiveLease liveLease) {
        long erased = 0;
        List<String> live = new ArrayList<>();
        for (DedupKey key : records.keySet()) {
            if (key.messageId().equals(storedId)) {
                switch (forget(key, liveLease)) {
                    case LEASE_LIVE -> live.add(key.scope().text());
                    case APPLIED -> erased++;
                    case ABSENT -> erased += eraseExpired(key);
                }
            }
        }
        return new Erasure(erased, live);
    }

    private int eraseExpired(DedupKey key) {
        MemoryRecord found = records.get(key);
        return found != null && found.isExpired(now()) && records.remove(key, found) ? 1 : 0;
    }

    @Override
    public long forgetAll() {
        long live = 0;
        for (DedupKey key : records.keySet()) {
            if (forget(key, LiveLease.OVERRIDE) == OperatorResult.APPLIED) {
                live++;
            }
        }
        return live;
    }

    @Override
    public void ping() {}

    @Override
    public void close() {
        records.clear();
    }

    /** Returns the number of records, including expired ones that have not been removed yet. */
    public int size() {
        return records.size();
    }

    private long now() {
        return MemoryRecord.micros(clock.instant());
    }
}
