package io.dedup.internal.claim;

import io.dedup.policy.OnStoreFailure;
import io.dedup.store.ClaimResult.StoreError;
import org.jspecify.annotations.Nullable;

/**
 * That the store failed when a claim made ahead was requested again. The other claims of the same call aren't requested
 * again then: with a timeout for each, a poll would take longer than a consumer may. Thread-safe.
 *
 * <p>Not for {@link OnStoreFailure#PROCESS}: without asking, a message would run unguarded although the store may
 * answer again. A gate keeps such messages from waiting one by one.
 */
final class SharedFailure {
    private volatile @Nullable StoreError again;

    /** Notes the answer to a repeated request. */
    ClaimAttempt noted(ClaimAttempt answer) {
        if (answer.asked() && answer.result() instanceof StoreError error) {
            again = error;
        }
        return answer;
    }

    /** The failure that stands for the answer to this claim; null if the store must be asked. */
    @Nullable
    StoreError insteadOf(ClaimAttempt attempted) {
        return attempted.delivery().topic().policy().onStoreFailure() == OnStoreFailure.PROCESS ? null : again;
    }
}
