package io.dedup.store.memory;

import io.dedup.Fingerprint;
import io.dedup.policy.Window;
import io.dedup.store.ClaimRequest;
import io.dedup.store.Owner;
import io.dedup.store.ReleaseMode;
import io.dedup.store.StoredRecord;
import io.dedup.store.operator.ImportRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One record; all times in microseconds since the epoch.
 *
 * @param leaseUntil when the lease ends, or ended, or the claim was released; of a DONE record, when it was completed
 * @param expiresAt when the record counts as absent; {@link Long#MAX_VALUE} for ever
 * @param result what a DONE record keeps for duplicates; the steps of another one
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record MemoryRecord(
        Phase phase,
        Owner owner,
        int attempt,
        int deaths,
        long token,
        long leaseUntil,
        long expiresAt,
        @Nullable Fingerprint fingerprint,
        byte @Nullable [] result) {

    private static final Owner NOBODY = new Owner("-");

    enum Phase {
        RELEASED,
        /**
         * Given back by a claim that had taken over one with an expired lease: has no owner, and the death is still to
         * be counted.
         */
        DEAD,
        /** The same after a claim that was not made alone: its death is not counted. */
        DEAD_UNCOUNTED,
        PROCESSING,
        /** PROCESSING by a claim that took over one with an expired lease. */
        TAKEN_OVER,
        /** The same, of a claim that was not made alone: its death was not counted. */
        TAKEN_OVER_UNCOUNTED,
        DONE;

        boolean isOwned() {
            return this == PROCESSING || tookOver();
        }

        boolean tookOver() {
            return this == TAKEN_OVER || this == TAKEN_OVER_UNCOUNTED;
        }
    }

    boolean isOwned() {
        return phase.isOwned();
    }

    /** Whether its claim ended with an expired lease, if that lease is over. */
    private boolean isDead() {
        return isOwned() || phase == Phase.DEAD || phase == Phase.DEAD_UNCOUNTED;
    }

    private boolean isDeathCounted() {
        return isOwned() ? owner.isAlone() : phase == Phase.DEAD;
    }

    boolean isOwnedBy(Owner other) {
        return isOwned() && owner.equals(other);
    }

    boolean isLive(long now) {
        return isOwned() && now < leaseUntil;
    }

    boolean isExpired(long now) {
        return now >= expiresAt;
    }

    /** Whether its handling was started and is not done, and it was claimed, or its lease ended, before that time. */
    boolean isStuck(long now, long before) {
        boolean left = !isLive(now) && leaseUntil <= before;
        return phase != Phase.DONE && attempt > 0 && !isExpired(now) && (left || token <= before);
    }

    StoredRecord toStoredRecord(long now) {
        boolean done = phase == Phase.DONE;
        boolean live = isLive(now);
        StoredRecord.State state = switch (phase) {
            case DONE -> StoredRecord.State.DONE;
            case RELEASED -> StoredRecord.State.RELEASED;
            case DEAD, DEAD_UNCOUNTED -> StoredRecord.State.ABANDONED;
            case PROCESSING, TAKEN_OVER, TAKEN_OVER_UNCOUNTED ->
                live ? StoredRecord.State.PROCESSING : StoredRecord.State.ABANDONED;
        };
        return new StoredRecord(
                state,
                attempt,
                deaths,
                done ? 0 : token,
                isOwned() ? owner : null,
                live ? Duration.of(leaseUntil - now, ChronoUnit.MICROS) : Duration.ZERO,
                done ? instant(leaseUntil) : null,
                done && expiresAt != Long.MAX_VALUE ? instant(expiresAt) : null,
                fingerprint,
                done ? result : null,
                done ? null : result);
    }

    MemoryRecord withLease(long until, long retention) {
        return new MemoryRecord(phase, owner, attempt, deaths, token, until, until + retention, fingerprint, result);
    }

    MemoryRecord withPhase(Phase next, int nextAttempt, int nextDeaths, long now, long retention) {
        return new MemoryRecord(next, owner, nextAttempt, nextDeaths, token, now, now + retention, fingerprint, result);
    }

    /** Stands for a record that is absent, except for its token. */
    static MemoryRecord none(long token) {
        return new MemoryRecord(Phase.RELEASED, NOBODY, 0, 0, token, 0, 0, null, null);
    }

    /**
     * The record after a claim that succeeds.
     *
     * @param current null if there is none, or it has expired
     */
    static MemoryRecord claimed(
            @Nullable MemoryRecord current, long lastToken, ClaimRequest request, long now, long retention) {
        long until = now + micros(request.lease());
        if (current != null && current.isLive(now)) { // its own: repeats a request that got no answer
            return current.withLease(until, retention);
        }
        boolean dead = current != null && current.isDead();
        boolean counted = current != null && dead && current.isDeathCounted();
        return new MemoryRecord(
                counted ? Phase.TAKEN_OVER : dead ? Phase.TAKEN_OVER_UNCOUNTED : Phase.PROCESSING,
                request.owner(),
                current == null ? 1 : current.attempt() + 1,
                current == null ? 0 : current.deaths() + (counted ? 1 : 0),
                Math.max(lastToken + 1, now),
                until,
                until + retention,
                request.fingerprint(),
                current == null ? null : current.result());
    }

    /** The record after a step was kept. */
    MemoryRecord withStep(byte[] entry) {
        byte[] before = result == null ? new byte[0] : result;
        byte[] steps = Arrays.copyOf(before, before.length + entry.length);
        System.arraycopy(entry, 0, steps, before.length, entry.length);
        return new MemoryRecord(phase, owner, attempt, deaths, token, leaseUntil, expiresAt, fingerprint, steps);
    }

    MemoryRecord done(Window window, byte @Nullable [] newResult, long now) {
        Duration length = window.duration();
        long end = length == null ? Long.MAX_VALUE : now + micros(length);
        return new MemoryRecord(Phase.DONE, NOBODY, attempt, 0, token, now, end, fingerprint, newResult);
    }

    MemoryRecord released(ReleaseMode mode, long now, long retention) {
        return switch (mode) {
            case STARTED -> withPhase(Phase.RELEASED, attempt, deaths, now, retention);
            case NOT_STARTED ->
                switch (phase) {
                    case TAKEN_OVER -> withPhase(Phase.DEAD, attempt - 1, deaths - 1, now, retention);
                    case TAKEN_OVER_UNCOUNTED -> withPhase(Phase.DEAD_UNCOUNTED, attempt - 1, deaths, now, retention);
                    default -> withPhase(Phase.RELEASED, attempt - 1, deaths, now, retention);
                };
            case CONVICTED -> withPhase(Phase.RELEASED, attempt - 1, 0, now, retention);
        };
    }

    /** The record after an import; null if it is done and its window ends no earlier. */
    @Nullable
    MemoryRecord imported(ImportRequest request) {
        long completed = micros(request.completedAt());
        long end = endOf(request);
        if (phase != Phase.DONE) {
            return new MemoryRecord(
                    Phase.DONE, NOBODY, attempt, 0, token, completed, end, fingerprint, request.result());
        }
        if (leaseUntil >= completed && expiresAt >= end) {
            return null;
        }
        return new MemoryRecord(
                Phase.DONE,
                NOBODY,
                attempt,
                0,
                token,
                Math.max(leaseUntil, completed),
                Math.max(expiresAt, end),
                fingerprint,
                result == null ? request.result() : result);
    }

    static long endOf(ImportRequest request) {
        Duration length = request.window().duration();
        return length == null ? Long.MAX_VALUE : micros(request.completedAt()) + micros(length);
    }

    static long micros(Instant instant) {
        return Math.addExact(
                Math.multiplyExact(instant.getEpochSecond(), 1_000_000L),
                TimeUnit.NANOSECONDS.toMicros(instant.getNano()));
    }

    static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    static long micros(Duration duration) {
        return Math.addExact(
                Math.multiplyExact(duration.getSeconds(), 1_000_000L),
                TimeUnit.NANOSECONDS.toMicros(duration.getNano()));
    }
}
