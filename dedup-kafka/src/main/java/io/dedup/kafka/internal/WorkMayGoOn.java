package io.dedup.kafka.internal;

import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Execution;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Marks the failure of a future that was cancelled or has timed out, which tells nothing about the work behind it:
 * releasing the claim would let a second one start beside it, so its lease runs out. A suppressed exception of what was
 * thrown, so that error handlers see the type that they may be configured for.
 */
public final class WorkMayGoOn extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private WorkMayGoOn(@Nullable Throwable cause) {
        super("the work may go on", cause, false, false);
    }

    public static Exception marked(Exception thrown) {
        if (!isIn(thrown)) {
            thrown.addSuppressed(new WorkMayGoOn(null));
        }
        return isIn(thrown) ? thrown : new WorkMayGoOn(thrown); // exceptions may refuse to suppress others
    }

    private static boolean isIn(Throwable thrown) {
        Throwable each = thrown;
        for (int depth = 0; each != null && depth < 20; depth++) {
            if (each instanceof WorkMayGoOn) {
                return true;
            }
            for (Throwable suppressed : each.getSuppressed()) {
                if (suppressed instanceof WorkMayGoOn) {
                    return true;
                }
            }
            each = each.getCause();
        }
        return false;
    }

    /** The handler failed with these; true when the lease of one was lost before. */
    public static boolean fail(DedupAdapter engine, Collection<Execution> executions, Throwable cause) {
        if (!isIn(cause)) {
            return engine.failAll(List.copyOf(executions), cause);
        }
        executions.forEach(Execution::abandon);
        return false;
    }
}
