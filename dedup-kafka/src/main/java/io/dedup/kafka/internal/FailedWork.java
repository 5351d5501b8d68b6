package io.dedup.kafka.internal;

import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Execution;
import io.dedup.text.Causes;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides what becomes of the claims of work that has failed: they are released, so that the container's retry can have them.
 * Unless the failure is a future's that was cancelled or has timed out, which tells nothing about the work behind it:
 * releasing the claim would let a second run start beside it, so its lease runs out.
 */
public final class FailedWork {

    private FailedWork() {}

    /**
     * Marks a failure that tells nothing about the work. The mark is a suppressed exception, so that error handlers see the type
     * that they may be configured for.
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

    /** The handler failed with these: releases or abandons them. True when the lease of one was lost before. */
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
            super("the work may go on", cause, false, false);
        }
    }
}
