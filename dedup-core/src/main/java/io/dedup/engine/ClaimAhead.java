package io.dedup.engine;

import static java.util.Objects.requireNonNull;

import io.dedup.DedupKey;
import io.dedup.store.ClaimResult;
import org.jspecify.annotations.Nullable;

/**
 * What the store said about a delivery before its turn. Either {@link ClaimsAhead#admit} uses it up when the turn comes, or
 * {@link ClaimsAhead#giveBack} does when it never does.
 */
public final class ClaimAhead {
    private final Attempted attempted;
    private final @Nullable Execution execution;

    ClaimAhead(Attempted attempted, @Nullable Execution execution) {
        this.attempted = attempted;
        this.execution = execution;
    }

    /** The delivery that it was asked for. */
    public Delivery delivery() {
        return attempted.delivery();
    }

    /** That delivery's key. */
    public DedupKey key() {
        return requireNonNull(delivery().key(), "only what has an ID is claimed ahead");
    }

    /** Whether the store failed; it is asked again at the delivery's turn. */
    public boolean isUnanswered() {
        return attempted.result() instanceof ClaimResult.StoreError;
    }

    Attempted attempted() {
        return attempted;
    }

    /** Under the heartbeat; null where nothing was acquired. */
    @Nullable
    Execution execution() {
        return execution;
    }
}
