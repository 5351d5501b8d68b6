package io.dedup.store.transaction;

import io.dedup.Fingerprint;
import io.dedup.policy.Window;
import io.dedup.store.ClaimResult.AlreadyDone;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The answer of a {@link RecordTransaction} about a message. The handler may run only after {@link Written}. */
public sealed interface RecordResult {
    /**
     * The record was written in this transaction.
     *
     * @param fencingToken grows with every record of a key
     */
    record Written(long fencingToken) implements RecordResult {}

    /**
     * A committed record shows that the message is done, and its window has not ended.
     *
     * @param left the rest of the window, for a front store that has lost the record
     * @param fingerprint of the payload that was handled; null if none was kept
     */
    record Done(AlreadyDone record, Window left, @Nullable Fingerprint fingerprint) implements RecordResult {}

    /**
     * Another transaction is handling the message, or a claim outside a transaction has a live lease.
     *
     * @param remaining the rest of that lease; zero if it is unknown how long the other transaction takes
     */
    record InFlight(Duration remaining) implements RecordResult {}

    /** The ID is in flight or done with another payload. */
    record Conflict() implements RecordResult {}
}
