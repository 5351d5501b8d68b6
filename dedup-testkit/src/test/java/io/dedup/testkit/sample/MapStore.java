package io.dedup.testkit.sample;

import io.dedup.DedupKey;
import io.dedup.Fingerprint;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.policy.Window;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.DedupStore;
import io.dedup.store.ReleaseMode;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.StoredRecord;
import io.dedup.store.WriteResult;
import io.dedup.store.operator.ImportRequest;
import io.dedup.store.operator.ImportResult;
import io.dedup.store.operator.ImportResult.Decision;
import io.dedup.store.operator.ImportingStore;
import io.dedup.store.operator.StuckQuery;
import io.dedup.store.operator.StuckRecord;
import io.dedup.store.operator.StuckRecordFinder;
import io.dedup.store.operator.StuckRecords;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A store in a map behind one lock. A real one has a server where this has {@code synchronized}. */
final class MapStore implements DedupStore, StuckRecordFinder, ImportingStore {
    private static final Duration RETENTION = Duration.ofDays(7);

    private final Map<DedupKey, Row> rows = new HashMap<>();
    private final InstantSource clock;

    MapStore(InstantSource clock) {
        this.clock = clock;
    }

    private Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MICROS);
    }

    private static long micros(Instant time) {
        return time.getEpochSecond() * 1_000_000 + time.getNano() / 1_000;
    }

    private @Nullable Row row(DedupKey key, Instant now) {
        Row row = rows.get(key);
        return row == null || !now.isBefore(row.expiresAt()) ? null : row;
    }

    // docs:begin claim
    @Override
    public List<ClaimResult> claim(List<ClaimRequest> requests) {
        return requests.stream().map(this::claim).toList();
    }

    private synchronized ClaimResult claim(ClaimRequest request) {
        Instant now = now();
        Instant leaseUntil = now.plus(request.lease());
        Row row = row(request.key(), now);
        boolean mine = row != null && row.isLive(now) && request.owner().equals(row.owner());
        if (row != null && !mine && (row.doneAt() != null || row.isLive(now))) {
            return refusal(row, request.fingerprint(), now);
        }
        Row next;
        if (mine) { // the same owner repeats its request, because the answer was lost
            next = withLease(row, leaseUntil);
        } else {
            Row gone = rows.get(request.key()); // may have expired, but its token still counts
            boolean dead = row != null && (row.owner() != null || row.died());
            boolean counts =
                    dead && (row.owner() == null ? row.counts() : row.owner().isAlone());
            next = new Row(
                    request.owner(),
                    false,
                    dead,
                    counts,
                    row == null ? 1 : row.attempt() + 1,
                    row == null ? 0 : row.deaths() + (counts ? 1 : 0),
                    Math.max(gone == null ? 0 : gone.token() + 1, micros(now)),
                    leaseUntil,
                    null,
                    leaseUntil.plus(RETENTION),
                    request.fingerprint(),
                    null);
        }
        rows.put(request.key(), next);
        return new ClaimResult.Acquired(next.attempt(), next.deaths(), next.tookOver(), next.token());
    }

    private static ClaimResult refusal(Row row, @Nullable Fingerprint fingerprint, Instant now) {
        if (fingerprint != null && row.fingerprint() != null && !fingerprint.equals(row.fingerprint())) {
            return new ClaimResult.Conflict();
        }
        return row.doneAt() == null
                ? new ClaimResult.InFlight(row.leaseLeft(now))
                : new ClaimResult.AlreadyDone(row.doneAt(), row.attempt(), row.result());
    }
    // docs:end

    private static Row withLease(Row row, Instant until) {
        return new Row(
                row.owner(),
                row.died(),
                row.tookOver(),
                row.counts(),
                row.attempt(),
                row.deaths(),
                row.token(),
                until,
                null,
                until.plus(RETENTION),
                row.fingerprint(),
                row.result());
    }

    // docs:begin complete
    @Override
    public List<WriteResult> complete(List<CompleteRequest> requests) {
        return requests.stream().map(this::complete).toList();
    }

    private synchronized WriteResult complete(CompleteRequest request) {
        Instant now = now();
        Claim claim = request.claim();
        Row row = row(claim.key(), now);
        if (row != null && claim.owner().equals(row.owner())) { // also after its lease: nobody has taken over
            rows.put(claim.key(), done(row, request.window(), request.result(), now));
            return WriteResult.applied();
        }
        boolean alreadyMine =
                request.repeated() && row != null && row.doneAt() != null && row.attempt() == claim.attempt();
        return alreadyMine ? WriteResult.applied() : WriteResult.leaseLost();
    }
    // docs:end

    private static Row done(@Nullable Row row, Window window, byte @Nullable [] result, Instant now) {
        Duration length = window.duration();
        return new Row(
                null,
                false,
                false,
                false,
                row == null ? 0 : row.attempt(),
                0,
                row == null ? 0 : row.token(),
                now,
                now,
                length == null ? Instant.MAX : now.plus(length),
                row == null ? null : row.fingerprint(),
                result);
    }

    // docs:begin release
    @Override
    public List<WriteResult> release(List<ReleaseRequest> requests) {
        return requests.stream().map(this::release).toList();
    }

    private synchronized WriteResult release(ReleaseRequest request) {
        Instant now = now();
        Row row = row(request.claim().key(), now);
        if (row == null || !request.claim().owner().equals(row.owner())) {
            return WriteResult.leaseLost();
        }
        boolean started = request.mode() == ReleaseMode.STARTED;
        boolean dead = request.mode() == ReleaseMode.NOT_STARTED && row.tookOver();
        boolean deathBack = dead && row.counts();
        rows.put(
                request.claim().key(),
                new Row(
                        null,
                        dead,
                        false,
                        deathBack,
                        started ? row.attempt() : row.attempt() - 1, // an attempt that never started isn't counted
                        request.mode() == ReleaseMode.CONVICTED ? 0 : row.deaths() - (deathBack ? 1 : 0),
                        row.token(),
                        now,
                        null,
                        now.plus(RETENTION),
                        row.fingerprint(),
                        null));
        return WriteResult.applied();
    }

    @Override
    public List<WriteResult> renew(List<RenewRequest> requests) {
        return requests.stream().map(this::renew).toList();
    }

    private synchronized WriteResult renew(RenewRequest request) {
        Instant now = now();
        Row row = row(request.claim().key(), now);
        if (row == null || !request.claim().owner().equals(row.owner())) {
            return WriteResult.leaseLost();
        }
        rows.put(request.claim().key(), withLease(row, now.plus(request.lease())));
        return WriteResult.applied();
    }
    // docs:end

    // docs:begin operators
    @Override
    public synchronized Optional<StoredRecord> find(DedupKey key) {
        Instant now = now();
        Row row = row(key, now);
        if (row == null) {
            return Optional.empty();
        }
        StoredRecord.State state = StoredRecord.State.RELEASED;
        if (row.doneAt() != null) {
            state = StoredRecord.State.DONE;
        } else if (row.owner() != null || row.died()) {
            state = row.isLive(now) ? StoredRecord.State.PROCESSING : StoredRecord.State.ABANDONED;
        }
        return Optional.of(new StoredRecord(
                state,
                row.attempt(),
                row.deaths(),
                row.doneAt() == null ? row.token() : 0,
                row.owner(),
                row.leaseLeft(now),
                row.doneAt(),
                row.doneAt() == null || row.expiresAt().equals(Instant.MAX) ? null : row.expiresAt(),
                row.fingerprint(),
                row.result()));
    }

    @Override
    public synchronized OperatorResult forget(DedupKey key, LiveLease liveLease) {
        Row row = row(key, now());
        if (row == null) {
            return OperatorResult.ABSENT;
        }
        if (row.isLive(now()) && liveLease == LiveLease.RESPECT) {
            return OperatorResult.LEASE_LIVE;
        }
        rows.remove(key);
        return OperatorResult.APPLIED;
    }

    @Override
    public synchronized OperatorResult forceDone(DedupKey key, Window window, LiveLease liveLease) {
        Row row = row(key, now());
        if (row != null && row.isLive(now()) && liveLease == LiveLease.RESPECT) {
            return OperatorResult.LEASE_LIVE;
        }
        rows.put(key, done(row, window, null, now()));
        return OperatorResult.APPLIED;
    }
    // docs:end

    @Override
    public synchronized StuckRecords findStuck(StuckQuery query) {
        Instant now = now();
        Instant before = now.minus(query.olderThan());
        List<StuckRecord> stuck = new ArrayList<>();
        rows.forEach((key, row) -> {
            boolean wanted = query.scope() == null || query.scope().equals(key.scope());
            boolean open = now.isBefore(row.expiresAt()) && row.doneAt() == null && row.attempt() > 0;
            boolean left = !row.isLive(now) && !row.leaseUntil().isAfter(before);
            if (wanted && open && (left || row.token() <= micros(before))) {
                StoredRecord record = find(key).orElseThrow();
                stuck.add(new StuckRecord(key.scope().text(), key.messageId(), record));
            }
        });
        int size = Math.min(query.limit(), stuck.size());
        return new StuckRecords(stuck.subList(0, size), size == stuck.size());
    }

    @Override
    public synchronized List<ImportResult> importDone(List<ImportRequest> requests) {
        List<ImportResult> answers = new ArrayList<>();
        requests.forEach(request -> answers.add(importDone(request)));
        return answers;
    }

    private Decision importDone(ImportRequest request) {
        Instant now = now();
        Instant doneAt = request.completedAt();
        Duration length = request.window().duration();
        Instant end = length == null ? Instant.MAX : doneAt.plus(length);
        if (!now.isBefore(end)) {
            return Decision.OVER;
        }
        Row row = row(request.key(), now);
        if (row != null && row.isLive(now)) {
            return Decision.HELD;
        }
        boolean done = row != null && row.doneAt() != null;
        if (row != null
                && done
                && !row.doneAt().isBefore(doneAt)
                && !row.expiresAt().isBefore(end)) {
            return Decision.KNOWN;
        }
        Row imported = new Row(
                null,
                false,
                false,
                false,
                row == null ? 0 : row.attempt(),
                0,
                row == null ? 0 : row.token(),
                Instant.EPOCH,
                row != null && done && row.doneAt().isAfter(doneAt) ? row.doneAt() : doneAt,
                row != null && done && row.expiresAt().isAfter(end) ? row.expiresAt() : end,
                row == null ? null : row.fingerprint(),
                row != null && done && row.result() != null ? row.result() : request.result());
        rows.put(request.key(), imported);
        return Decision.IMPORTED;
    }

    @Override
    public String name() {
        return "map";
    }

    @Override
    public Duration attemptRetention() {
        return RETENTION;
    }

    @Override
    public void ping() {}

    @Override
    public void close() {}
}
