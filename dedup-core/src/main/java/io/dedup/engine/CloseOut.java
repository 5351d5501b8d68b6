package io.dedup.engine;

import io.dedup.DedupOutcome.Completion;
import io.dedup.engine.Execution.Guard;
import io.dedup.internal.SafeLog;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends runs: completes, releases or abandons their claims.
 *
 * <p>A completion that fails is never taken for a failed handler: releasing then would make the effect happen twice.
 */
final class CloseOut {
    private static final Logger log = LoggerFactory.getLogger(CloseOut.class);

    private final Heartbeat heartbeat;
    private final Completions completions;
    private final Releases releases;
    private final RunReferences references;

    CloseOut(Heartbeat heartbeat, Completions completions, Releases releases, RunReferences references) {
        this.heartbeat = heartbeat;
        this.completions = completions;
        this.releases = releases;
        this.references = references;
    }

    /** What a run that begins now, on this thread, is found again by; null where no duplicate would be told. */
    @Nullable
    String referenceOf(Guard guard) {
        return guard == Guard.NONE || guard == Guard.SHADOW ? null : references.ofThisRun();
    }

    Releases releases() {
        return releases;
    }

    /** The handler has succeeded, and the completion follows. Never throws. */
    void returned(Execution execution) {
        try {
            completions.succeeded(execution);
        } catch (Throwable e) { // no memory: what matters is that the completion follows
            SafeLog.warn(log, "A success isn't known before it is recorded: {}", execution.key(), e);
        }
    }

    Completion succeed(Execution execution, WaitBudget budget) {
        try {
            return completions.complete(execution, budget);
        } catch (Throwable e) {
            return later(execution, e);
        } finally {
            heartbeat.remove(execution);
        }
    }

    /**
     * Closes the executions and completes those that were open with one call; answers in order, {@link Completion#UNGUARDED} for
     * those that were closed before.
     */
    List<Completion> succeedAll(List<Execution> executions, WaitBudget budget) {
        List<Execution> open = closeAll(executions);
        List<Completion> completions = succeedOpen(open, budget);
        if (open.size() == executions.size()) {
            return completions;
        }
        List<Completion> all = new ArrayList<>(executions.size());
        int next = 0;
        for (Execution execution : executions) {
            boolean wasOpen = next < open.size() && open.get(next) == execution;
            all.add(wasOpen ? completions.get(next++) : Completion.UNGUARDED);
        }
        return all;
    }

    private List<Completion> succeedOpen(List<Execution> open, WaitBudget budget) {
        try {
            return completions.completeAll(open, budget);
        } catch (Throwable e) {
            List<Completion> outcomes = new ArrayList<>(open.size());
            open.forEach(execution -> outcomes.add(later(execution, e)));
            return outcomes;
        } finally {
            open.forEach(heartbeat::remove);
        }
    }

    /** The effect has happened, and something failed that isn't the store: the background records it. */
    private Completion later(Execution execution, Throwable cause) {
        if (execution.claim() == null || execution.guard() == Guard.SHADOW) {
            return Completion.UNGUARDED;
        }
        try {
            completions.later(execution);
        } catch (Throwable e) { // no memory for that, either: the lease runs out
            completions.unknown(execution);
            if (e != cause) { // the machine's OutOfMemoryError may be one object
                cause.addSuppressed(e);
            }
        }
        SafeLog.warn(log, "A completion failed and is left to the background: {}", execution.key(), cause);
        return Completion.PENDING;
    }

    /** Closes them, and returns those that were open. Allocates nothing once the first one is closed. */
    private static List<Execution> closeAll(List<Execution> executions) {
        List<Execution> open = new ArrayList<>(executions.size());
        for (Execution execution : executions) {
            if (execution.close()) {
                open.add(execution);
            }
        }
        return open;
    }

    /** Whether the claim was found to be somebody else's. */
    boolean release(Execution execution, @Nullable Throwable cause) {
        completions.unknown(execution);
        return releases.release(execution, cause);
    }

    /** Closes the executions and releases those that were open with one call; answers whether any was lost before. */
    boolean releaseAll(List<Execution> executions, @Nullable Throwable cause) {
        List<Execution> open = closeAll(executions);
        open.forEach(completions::unknown);
        return !open.isEmpty() && releases.releaseAll(open, cause);
    }

    /** The claim's message is poison: it isn't run, and its deaths are forgotten. */
    void convict(Execution execution) {
        if (execution.close()) {
            releases.convict(execution);
        }
    }

    void abandon(Execution execution) {
        completions.unknown(execution);
        heartbeat.remove(execution);
    }
}
