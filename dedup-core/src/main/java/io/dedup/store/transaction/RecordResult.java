package io.dedup.store.transaction;

import io.dedup.Fingerprint;
import io.dedup.policy.Window;
import io.dedup.store.ClaimResult.AlreadyDone;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a {@link RecordTransaction} answers about a message. Only {@link Written} allows the handler to run. */
public sealed interface RecordResult {
    /**
     * The record is in this transaction.
     *
     * @param fencingToken grows with every record of a key
     */
    record Written(long fencingToken) implements RecordResult {}

    /**
     * A committed record says that the message is done, inside its window.
     *
     * @param left of the window, for a store in front that has forgotten
     * @param fingerprint of the payload that it was done with; null where none was kept
     */
    record Done(AlreadyDone record, Window left, @Nullable Fingerprint fingerprint) implements RecordResult {}

    /**
     * Another transaction handles the message, or a claim outside has a live lease.
     *
     * @param remaining of the lease; zero where it isn't known how long the other takes
     */
    record InFlight(Duration remaining) implements RecordResult {}

    /** The ID is in flight or done with another payload. */
    record Conflict() implements RecordResult {}
}
