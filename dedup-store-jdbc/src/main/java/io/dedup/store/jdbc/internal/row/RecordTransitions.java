package io.dedup.store.jdbc.internal.row;

import io.dedup.Fingerprint;
import io.dedup.policy.Window;
import io.dedup.store.ClaimResult.AlreadyDone;
import io.dedup.store.jdbc.internal.sql.Micros;
import io.dedup.store.transaction.RecordRequest;
import io.dedup.store.transaction.RecordResult;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Decides about writing a record in place of a row, for statements that only read the row. */
public final class RecordTransitions {
    /** The shortest window: a window that ended while its row was being read still counted when it was looked up. */
    private static final long LEAST_WINDOW = Micros.of(Duration.ofMillis(1));

    private RecordTransitions() {}

    /** For a record whose transaction is open, for an unknown time. */
    public static RecordResult inFlight() {
        return new RecordResult.InFlight(Duration.ZERO);
    }

    /** The result if a record must not be written; null if it may be. */
    public static @Nullable RecordResult refusal(@Nullable Row row, RecordRequest request, long now) {
        if (row == null || row.isExpired(now) || (row.phase() != Phase.DONE && !row.isLive(now))) {
            return null;
        }
        return blocked(row, request, row.leaseUntil() - now, row.expiresAt() - now);
    }

    /**
     * The result if a record is done, or in flight with a lease.
     *
     * @param remaining the rest of the lease, in microseconds
     * @param left the rest of the window, in microseconds; ignored if it has no end
     */
    public static RecordResult blocked(Row row, RecordRequest request, long remaining, long left) {
        if (row.fingerprint() != null
                && request.fingerprint() != null
                && !row.fingerprint().equals(request.fingerprint().value())) {
            return new RecordResult.Conflict();
        }
        if (row.phase() != Phase.DONE) {
            return new RecordResult.InFlight(Micros.duration(Math.max(remaining, 0)));
        }
        Window window = row.expiresAt() == Micros.NEVER
                ? Window.forever()
                : Window.of(Micros.duration(Math.min(Math.max(left, LEAST_WINDOW), Micros.of(Window.MAX))));
        return new RecordResult.Done(
                new AlreadyDone(Micros.instant(row.completedAt()), row.attempt(), row.result()),
                window,
                row.fingerprint() == null ? null : new Fingerprint(row.fingerprint()));
    }

    /** The row to write if nothing blocks it. */
    public static Row done(@Nullable Row found, RecordRequest request, long now) {
        long length = Micros.of(request.window());
        return new Row(
                Phase.DONE,
                null,
                1,
                0,
                found == null ? now : Math.max(found.token() + 1, now),
                0,
                now,
                length == Micros.NEVER ? Micros.NEVER : now + length,
                Row.text(request.fingerprint()),
                null);
    }
}
