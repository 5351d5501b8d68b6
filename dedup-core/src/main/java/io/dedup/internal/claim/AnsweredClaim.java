package io.dedup.internal.claim;

import static java.util.Objects.requireNonNull;

import io.dedup.DedupKey;
import io.dedup.adapter.ClaimAhead;
import io.dedup.adapter.Delivery;
import io.dedup.internal.run.AdmittedRun;
import io.dedup.store.ClaimResult;
import org.jspecify.annotations.Nullable;

/** A claim that the store answered before its delivery's turn. */
final class AnsweredClaim implements ClaimAhead {
    private final ClaimAttempt attempted;
    private final @Nullable AdmittedRun execution;
    private final SharedFailure failure;

    AnsweredClaim(ClaimAttempt attempted, @Nullable AdmittedRun execution, SharedFailure failure) {
        this.attempted = attempted;
        this.execution = execution;
        this.failure = failure;
    }

    @Override
    public Delivery delivery() {
        return attempted.delivery();
    }

    @Override
    public DedupKey key() {
        return requireNonNull(delivery().key(), "only what has an ID is claimed ahead");
    }

    @Override
    public boolean isUnanswered() {
        return attempted.result() instanceof ClaimResult.StoreError;
    }

    ClaimAttempt attempted() {
        return attempted;
    }

    /** Shared by the claims that were made with one call. */
    SharedFailure failure() {
        return failure;
    }

    /** The run, whose lease is being renewed; null if nothing was acquired. */
    @Nullable
    public AdmittedRun execution() {
        return execution;
    }
}
