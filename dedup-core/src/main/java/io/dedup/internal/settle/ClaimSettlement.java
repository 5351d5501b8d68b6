package io.dedup.internal.settle;

import io.dedup.DedupOutcome.Completion;
import io.dedup.adapter.WaitBudget;
import io.dedup.internal.lease.Heartbeat;
import io.dedup.internal.listener.SafeLog;
import io.dedup.internal.run.AdmittedRun;
import io.dedup.internal.run.AdmittedRun.Guard;
import io.dedup.internal.run.RunReferences;
import io.dedup.internal.run.ThreadContexts;
import io.dedup.internal.step.Steps;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Settles runs: completes, releases or abandons their claims.
 *
 * <p>A failed completion never counts as a failed handler: releasing the claim then would make the effect happen twice.
 */
public final class ClaimSettlement implements AdmittedRun.Settling {
    private static final Logger log = LoggerFactory.getLogger(ClaimSettlement.class);

    private final Heartbeat heartbeat;
    private final Completions completions;
    private final Releases releases;
    private final RunReferences references;
    private final Steps steps;
    private final @Nullable ThreadContexts contexts;

    /** @param contexts null if nobody asks which thread handles what */
    public ClaimSettlement(
            Heartbeat heartbeat,
            Completions completions,
            Releases releases,
            RunReferences references,
            Steps steps,
            @Nullable ThreadContexts contexts) {
        this.heartbeat = heartbeat;
        this.completions = completions;
        this.releases = releases;
        this.references = references;
        this.steps = steps;
        this.contexts = contexts;
    }

    @Override
    @Nullable
    public String referenceOf(Guard guard) {
        return guard == Guard.NONE || guard == Guard.SHADOW ? null : references.ofThisRun();
    }

    @Override
    public void returned(AdmittedRun execution) {
        try {
            completions.succeeded(execution);
        } catch (Throwable e) { // no memory: the completion that follows is what matters
            SafeLog.warn(
                    log,
                    "Copies of message ID {} are not recognized until the store has recorded its success",
                    execution.key(),
                    e);
        }
    }

    @Override
    public Completion succeed(AdmittedRun execution, WaitBudget budget) {
        try {
            return completions.complete(execution, budget);
        } catch (Throwable e) {
            return later(execution, e);
        } finally {
            heartbeat.remove(execution);
        }
    }

    /**
     * Closes the executions and completes those that were open with one call. Returns the results in order,
     * {@link Completion#UNGUARDED} for those that were closed before.
     */
    public List<Completion> succeedAll(List<AdmittedRun> executions, WaitBudget budget) {
        List<AdmittedRun> open = closeAll(executions);
        List<Completion> completions = succeedOpen(open, budget);
        if (open.size() == executions.size()) {
            return completions;
        }
        List<Completion> all = new ArrayList<>(executions.size());
        int next = 0;
        for (AdmittedRun execution : executions) {
            boolean wasOpen = next < open.size() && open.get(next) == execution;
            all.add(wasOpen ? completions.get(next++) : Completion.UNGUARDED);
        }
        return all;
    }

    private List<Completion> succeedOpen(List<AdmittedRun> open, WaitBudget budget) {
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

    /** The effect has happened, and something other than the store failed: the background records the success. */
    private Completion later(AdmittedRun execution, Throwable cause) {
        if (execution.claim() == null || execution.guard() == Guard.SHADOW) {
            return Completion.UNGUARDED;
        }
        try {
            completions.later(execution);
        } catch (Throwable e) { // no memory for that either: the lease expires
            completions.forgetSuccess(execution);
            if (e != cause) { // the machine's OutOfMemoryError may be one object
                cause.addSuppressed(e);
            }
        }
        SafeLog.warn(
                log,
                "Recording the success of message ID {} failed; retried in the background",
                execution.key(),
                cause);
        return Completion.PENDING;
    }

    /** Closes the executions, and returns those that were open. Allocates nothing after the first one is closed. */
    private static List<AdmittedRun> closeAll(List<AdmittedRun> executions) {
        List<AdmittedRun> open = new ArrayList<>(executions.size());
        for (AdmittedRun execution : executions) {
            if (execution.close()) {
                open.add(execution);
            }
        }
        return open;
    }

    @Override
    public boolean release(AdmittedRun execution, @Nullable Throwable cause) {
        completions.forgetSuccess(execution);
        execution.flushSteps();
        return releases.release(List.of(execution), cause);
    }

    /**
     * Closes the executions and releases those that were open with one call. Returns whether any claim had been lost
     * before.
     */
    public boolean releaseAll(List<AdmittedRun> executions, @Nullable Throwable cause) {
        List<AdmittedRun> open = closeAll(executions);
        open.forEach(completions::forgetSuccess);
        open.forEach(AdmittedRun::flushSteps);
        return !open.isEmpty() && releases.release(open, cause);
    }

    @Override
    public @Nullable ThreadContexts contexts() {
        return contexts;
    }

    @Override
    public Steps steps() {
        return steps;
    }

    @Override
    public void lost(AdmittedRun execution) {
        releases.lost(execution);
    }

    /** Rejects the message of a claim as poison: it does not run, and its deaths are reset. */
    public void convict(AdmittedRun execution) {
        if (execution.close()) {
            releases.convict(execution);
        }
    }

    @Override
    public void abandon(AdmittedRun execution) {
        completions.forgetSuccess(execution);
        heartbeat.remove(execution);
    }
}
