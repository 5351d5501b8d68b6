package io.dedup.store.jdbc.internal.row;

import io.dedup.policy.Window;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.StepRequest;
import io.dedup.store.jdbc.internal.sql.Micros;
import io.dedup.store.operator.ImportRequest;
import io.dedup.store.operator.ImportResult.Decision;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The protocol's transitions as functions from the row that was read to the row that replaces it, for dialects that
 * compare and set. Dialects with one statement per operation implement the same in SQL; the store contract keeps both
 * equal.
 */
public final class LeaseTransitions {
    private final long retention;

    /**
     * Creates the transitions.
     *
     * @param retention how long an unfinished record outlives its lease, in microseconds
     */
    public LeaseTransitions(long retention) {
        this.retention = retention;
    }

    /** The result of a claim that is refused; null if the record can be claimed. */
    public static @Nullable ClaimResult refusal(@Nullable Row row, ClaimRequest request, long now) {
        if (row == null || row.isExpired(now)) {
            return null;
        }
        if (row.phase() == Phase.DONE) {
            return blocked(row, request, 0);
        }
        return row.isLive(now) && !row.isHeldBy(request.owner(), now)
                ? blocked(row, request, row.leaseUntil() - now)
                : null;
    }

    /** The result of a claim if the record is done, or in flight for another {@code remaining} microseconds. */
    public static ClaimResult blocked(Row row, ClaimRequest request, long remaining) {
        if (row.fingerprint() != null
                && request.fingerprint() != null
                && !row.fingerprint().equals(request.fingerprint().value())) {
            return new ClaimResult.Conflict();
        }
        return row.phase() == Phase.DONE
                ? new ClaimResult.AlreadyDone(Micros.instant(row.completedAt()), row.attempt(), row.result())
                : new ClaimResult.InFlight(Micros.duration(remaining));
    }

    public static ClaimResult acquired(Row row) {
        return new ClaimResult.Acquired(row.attempt(), row.deaths(), row.phase().tookOver(), row.token(), row.result());
    }

    /** The row after a claim that succeeds. */
    public Row claimed(@Nullable Row found, ClaimRequest request, long now) {
        Row row = found == null || found.isExpired(now) ? null : found;
        long until = now + Micros.of(request.lease());
        if (row != null && row.isLive(now)) { // its own: repeats a request that got no answer
            return withLease(row, until);
        }
        boolean dead = row != null && row.phase() != Phase.RELEASED;
        boolean counted = row != null && dead && row.isDeathCounted();
        return new Row(
                counted ? Phase.TAKEN_OVER : dead ? Phase.TAKEN_OVER_UNCOUNTED : Phase.PROCESSING,
                request.owner().value(),
                row == null ? 1 : row.attempt() + 1,
                row == null ? 0 : row.deaths() + (counted ? 1 : 0),
                found == null ? now : Math.max(found.token() + 1, now),
                until,
                0,
                until + retention,
                Row.text(request.fingerprint()),
                row == null ? null : row.result());
    }

    /** The row after a completion; null if the caller is not the owner. */
    public static @Nullable Row completed(@Nullable Row row, CompleteRequest request, long now) {
        return row != null && row.isHeldBy(request.claim().owner(), now)
                ? done(row, request.window(), request.result(), now)
                : null;
    }

    /** Whether a repeated completion finds that its first request was applied. */
    public static boolean isCompletedBefore(@Nullable Row row, CompleteRequest request, long now) {
        return request.repeated()
                && row != null
                && row.phase() == Phase.DONE
                && !row.isExpired(now)
                && row.attempt() == request.claim().attempt();
    }

    /** The row after a release; null if the caller is not the owner. */
    @Nullable
    public Row released(@Nullable Row row, ReleaseRequest request, long now) {
        if (row == null || !row.isHeldBy(request.claim().owner(), now)) {
            return null;
        }
        int before = row.attempt() - 1;
        return switch (request.mode()) {
            case STARTED -> released(row, Phase.RELEASED, row.attempt(), row.deaths(), now);
            case NOT_STARTED ->
                switch (row.phase()) {
                    case TAKEN_OVER -> released(row, Phase.DEAD, before, row.deaths() - 1, now);
                    case TAKEN_OVER_UNCOUNTED -> released(row, Phase.DEAD_UNCOUNTED, before, row.deaths(), now);
                    default -> released(row, Phase.RELEASED, before, row.deaths(), now);
                };
            case CONVICTED -> released(row, Phase.RELEASED, before, 0, now);
        };
    }

    /** The row after a renewal; null if the caller is not the owner. */
    @Nullable
    public Row renewed(@Nullable Row row, RenewRequest request, long now) {
        return row != null && row.isHeldBy(request.claim().owner(), now)
                ? withLease(row, now + Micros.of(request.lease()))
                : null;
    }

    /**
     * The row after a step was kept; null if the caller is not the owner. Its end moves by a microsecond, so that a column changes
     * that is compared: otherwise a renewal that was decided before would put the old steps back.
     */
    public static @Nullable Row withStep(@Nullable Row row, StepRequest request, long now) {
        if (row == null || !row.isHeldBy(request.claim().owner(), now)) {
            return null;
        }
        byte[] entry = request.entry();
        byte[] before = row.result() == null ? new byte[0] : row.result();
        byte[] steps = Arrays.copyOf(before, before.length + entry.length);
        System.arraycopy(entry, 0, steps, before.length, entry.length);
        return new Row(
                row.phase(),
                row.owner(),
                row.attempt(),
                row.deaths(),
                row.token(),
                row.leaseUntil(),
                row.completedAt(),
                row.expiresAt() + 1,
                row.fingerprint(),
                steps);
    }

    /** The row after an operator marked it as done. */
    public static Row forcedDone(@Nullable Row found, Window window, long now) {
        if (found != null && !found.isExpired(now)) {
            return done(found, window, null, now);
        }
        long token = found == null ? 0 : found.token();
        return done(new Row(Phase.RELEASED, null, 0, 0, token, 0, 0, 0, null, null), window, null, now);
    }

    /** The end of an imported record's window, in microseconds. */
    public static long endOf(ImportRequest request) {
        return request.window().isForever()
                ? Micros.NEVER
                : Micros.of(request.completedAt()) + Micros.of(request.window());
    }

    /** The answer to an import that leaves the row as it is; null if the row is replaced by {@link #imported}. */
    public static @Nullable Decision importRefusal(@Nullable Row row, ImportRequest request, long now) {
        if (now >= endOf(request)) {
            return Decision.OVER;
        }
        if (row == null || row.isExpired(now)) {
            return null;
        }
        if (row.phase() != Phase.DONE) {
            return row.isLive(now) ? Decision.HELD : null;
        }
        boolean known = row.completedAt() >= Micros.of(request.completedAt()) && row.expiresAt() >= endOf(request);
        return known ? Decision.KNOWN : null;
    }

    /** The row after an import. */
    public static Row imported(@Nullable Row found, ImportRequest request, long now) {
        Row row = found == null || found.isExpired(now)
                ? new Row(Phase.RELEASED, null, 0, 0, found == null ? 0 : found.token(), 0, 0, 0, null, null)
                : found;
        boolean done = row.phase() == Phase.DONE;
        long completed = Micros.of(request.completedAt());
        return new Row(
                Phase.DONE,
                null,
                row.attempt(),
                0,
                row.token(),
                0,
                done ? Math.max(row.completedAt(), completed) : completed,
                done ? Math.max(row.expiresAt(), endOf(request)) : endOf(request),
                row.fingerprint(),
                done && row.result() != null ? row.result() : request.result());
    }

    private static Row done(Row row, Window window, byte @Nullable [] result, long now) {
        long expiresAt = window.isForever() ? Micros.NEVER : now + Micros.of(window);
        return new Row(Phase.DONE, null, row.attempt(), 0, row.token(), 0, now, expiresAt, row.fingerprint(), result);
    }

    private Row withLease(Row row, long until) {
        return new Row(
                row.phase(),
                row.owner(),
                row.attempt(),
                row.deaths(),
                row.token(),
                until,
                0,
                until + retention,
                row.fingerprint(),
                row.result());
    }

    private Row released(Row row, Phase phase, int attempt, int deaths, long now) {
        return new Row(
                phase, null, attempt, deaths, row.token(), now, 0, now + retention, row.fingerprint(), row.result());
    }
}
