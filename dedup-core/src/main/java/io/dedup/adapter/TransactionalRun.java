package io.dedup.adapter;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Handlers' runs in one business transaction, which commits or rolls back with their records. Belongs to the thread that
 * opened it. Where any of its {@link #admissions} runs, exactly one of {@link #succeeded} and {@link #failed} ends it;
 * otherwise nothing is open. It is the settlement of its own {@link #executions}:
 *
 * <pre>{@code
 * RunEnd end = HandlerRun.runAll(run.executions(), () -> handle(...), run);
 * }</pre>
 */
public interface TransactionalRun extends Settlement<byte @Nullable [], RunEnd> {
    /** What to do with each delivery, in the order of the executions that it was opened with. */
    List<Admission> admissions();

    /** Those whose handler is to run. */
    List<Execution> executions();

    /**
     * The handler succeeded: commits.
     *
     * @param result of a single run, for duplicates; null for none, and for several runs
     */
    @Override
    RunEnd succeeded(byte @Nullable [] result);

    /** The handler failed: rolls back. An exception that reports a deadlock isn't a failure of the handler. */
    @Override
    RunEnd failed(Throwable thrown);
}
