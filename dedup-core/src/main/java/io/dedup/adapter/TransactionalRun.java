package io.dedup.adapter;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs of handlers in one business transaction, which commits or rolls back with their records. Bound to the thread
 * that opened it. If any of its {@link #admissions} runs, exactly one of {@link #succeeded} and {@link #failed} must
 * end it; otherwise no transaction is open. It is the settlement of its own {@link #executions}:
 *
 * <pre>{@code
 * RunEnd end = HandlerRun.runAll(run.executions(), () -> handle(...), run);
 * }</pre>
 */
public interface TransactionalRun extends Settlement<byte @Nullable [], RunEnd> {
    /** Returns the decision about each delivery, in the order of the executions that this was opened with. */
    List<Admission> admissions();

    /** Returns the executions whose handlers must run. */
    List<Execution> executions();

    /**
     * Takes all but the first executions out of the transaction, and gives them back: only the handlers of those first ones
     * have been called. Whatever this throws, {@link #rollBack} or {@link #failed} must follow.
     *
     * @param count at least 1
     * @throws io.dedup.DedupStoreException if the database fails
     */
    void keepFirst(int count);

    /**
     * Rolls back, and gives all executions back: their messages are handled again at once, so that this isn't their failure.
     *
     * @param cause what a handler has thrown
     * @return whether it reports that the database has undone the transaction because of another one, such as a deadlock
     */
    boolean rollBack(Throwable cause);

    /**
     * Commits, because the handler succeeded.
     *
     * @param result the result of a single run, for duplicates; null for none, and for several runs
     */
    @Override
    RunEnd succeeded(byte @Nullable [] result);

    /**
     * Rolls back, because the handler failed. An exception that reports a deadlock does not count as a failure of the
     * handler.
     */
    @Override
    RunEnd failed(Throwable thrown);
}
