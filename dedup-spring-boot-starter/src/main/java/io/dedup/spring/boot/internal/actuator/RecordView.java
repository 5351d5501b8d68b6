package io.dedup.spring.boot.internal.actuator;

import io.dedup.report.CopiedMessage;
import io.dedup.step.StepLog;
import io.dedup.store.StoredRecord;
import io.dedup.store.StoredResult;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A record, as the endpoint shows it.
 *
 * @param instance whose claim it is, or was when its lease ran out; null where it was released or is done, where the
 *     instance has no name, and where the store doesn't keep it
 * @param claimedAt when the last claim was made; null of a record that is done, or whose claim wanted no fencing token
 * @param leaseRemaining of a record that is being processed
 * @param run what a {@link io.dedup.RunReference} said of the run that has done it, such as its trace
 * @param place where the message was handled first, as the broker counts: partition and offset, or queue; null unless the policy
 *     says explain-duplicates
 * @param lastCopy what this process has seen of the message's copies; null if nothing
 * @param steps which steps of its handler a message that isn't done has run
 * @param resultStored whether what the handler returned is kept for duplicates; most handlers return nothing
 */
public record RecordView(
        String state,
        int attempt,
        int deaths,
        long fencingToken,
        @Nullable String instance,
        @Nullable Instant claimedAt,
        @Nullable Duration leaseRemaining,
        @Nullable Instant completedAt,
        @Nullable Instant expiresAt,
        @Nullable String run,
        @Nullable String place,
        @Nullable CopyView lastCopy,
        List<StepView> steps,
        boolean resultStored) {
    /** A step that is kept. */
    public record StepView(String name, Instant keptAt) {}

    /**
     * The last copy of a message, in the last 24 hours.
     *
     * @param copies how many copies this process has seen, at most
     * @param sender who sent the last one, escaped; null if that is not known
     */
    public record CopyView(
            String cause,
            Instant at,
            @Nullable String place,
            @Nullable String sender,
            long copies) {
        static @Nullable CopyView of(@Nullable CopiedMessage copied) {
            return copied == null
                    ? null
                    : new CopyView(
                            copied.lastCause(),
                            copied.lastAt(),
                            copied.lastPlace(),
                            copied.lastSender(),
                            copied.copies());
        }
    }

    static RecordView of(StoredRecord record) {
        return of(record, null);
    }

    static RecordView of(StoredRecord record, @Nullable CopiedMessage copied) {
        StoredResult stored = StoredResult.decode(record.result());
        return new RecordView(
                record.state().name(),
                record.attempt(),
                record.deaths(),
                record.fencingToken(),
                record.owner() == null ? null : record.owner().instance(),
                record.claimedAt(),
                record.state() == StoredRecord.State.PROCESSING ? record.leaseRemaining() : null,
                record.completedAt(),
                record.expiresAt(),
                stored.firstRun(),
                stored.place() == null ? null : stored.place().toString(),
                CopyView.of(copied),
                steps(record),
                stored.result() != null);
    }

    /** What cannot be read says so itself at the next attempt; an operator must see the rest of the record. */
    private static List<StepView> steps(StoredRecord record) {
        try {
            return StepLog.decode(record.steps()).values().stream()
                    .map(step -> new StepView(step.name(), step.keptAt()))
                    .toList();
        } catch (IllegalArgumentException e) {
            return List.of();
        }
    }
}
