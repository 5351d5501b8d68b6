package io.dedup.kafka.internal.failure;

import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Execution;
import io.dedup.text.Causes;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Ends the claims of failed work. They are released, so that the container's retry can claim them again, except when
 * the failure is a cancelled or timed-out future: the work behind it may still be running, and releasing the claim
 * would let a second run start beside it. Such a claim is kept until its lease expires.
 */
public final class FailedWork {

    private FailedWork() {}

    /**
     * Marks a failure after which the work may still be running. The mark is a suppressed exception, so that error
     * handlers see the original type.
     */
    public static Exception outcomeUnknown(Exception thrown) {
        if (!isUnknown(thrown)) {
            thrown.addSuppressed(new OutcomeUnknown(null));
        }
        return isUnknown(thrown) ? thrown : new OutcomeUnknown(thrown); // exceptions may refuse to suppress others
    }

    private static boolean isUnknown(Throwable thrown) {
        for (Throwable each : Causes.of(thrown)) {
            if (each instanceof OutcomeUnknown) {
                return true;
            }
            for (Throwable suppressed : each.getSuppressed()) {
                if (suppressed instanceof OutcomeUnknown) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * Releases or abandons the executions after their handler failed. Returns whether the lease of one of them had been
     * lost.
     */
    public static boolean release(DedupAdapter engine, Collection<Execution> executions, Throwable cause) {
        if (!isUnknown(cause)) {
            return engine.failAll(List.copyOf(executions), cause);
        }
        executions.forEach(Execution::abandon);
        return false;
    }

    private static final class OutcomeUnknown extends RuntimeException {
        private static final long serialVersionUID = 1L;

        OutcomeUnknown(@Nullable Throwable cause) {
            super("The work may still be running", cause, false, false);
        }
    }
}
