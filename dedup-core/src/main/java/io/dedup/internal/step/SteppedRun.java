package io.dedup.internal.step;

import io.dedup.DedupKey;
import io.dedup.DedupTopic;
import io.dedup.store.Claim;
import org.jspecify.annotations.Nullable;

/** The run that steps belong to. Thread-safe. */
public interface SteppedRun {
    @Nullable
    DedupKey key();

    @Nullable
    Claim claim();

    DedupTopic topic();

    boolean guarded();

    boolean isTransactional();

    /** Whether the handler has ended. */
    boolean hasEnded();

    boolean leaseLost();

    /** A step is about to throw a {@link io.dedup.step.LeaseLostException}. */
    void stopped();

    /** Another owner has taken over the claim; reported once. */
    void lost();
}
