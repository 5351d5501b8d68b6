package io.dedup.adapter;

import io.dedup.step.LeaseLostException;
import io.dedup.text.Causes;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * Runs a handler in the order that every run follows: begin, call the handler, settle. No other class repeats this
 * order.
 *
 * <p>Everything that the handler throws is settled, including {@link Error}s. An Error is then rethrown as it is and
 * never becomes a deferral, even if the claim was lost, because it concerns this process rather than the message.
 */
public final class HandlerRun {
    private HandlerRun() {}

    /** Runs the handler of one execution and returns the result of the settlement. */
    public static <T extends @Nullable Object, E extends @Nullable Object> E run(
            Execution execution, HandlerCall<T> handler, Settlement<T, E> settlement) {
        return run(execution, null, handler, settlement);
    }

    /** Runs one handler for several executions, which succeed or fail together. */
    public static <T extends @Nullable Object, E extends @Nullable Object> E runAll(
            Collection<? extends Execution> executions, HandlerCall<T> handler, Settlement<T, E> settlement) {
        return run(null, executions, handler, settlement);
    }

    /** Takes either one execution or several; a single one then needs no list. */
    @SuppressWarnings("NullAway") // the handler returns null only where its settlement takes null
    private static <T extends @Nullable Object, E extends @Nullable Object> E run(
            @Nullable Execution one,
            @Nullable Collection<? extends Execution> several,
            HandlerCall<T> handler,
            Settlement<T, E> settlement) {
        T result;
        try {
            if (one != null) {
                one.begin();
            }
            if (several != null) {
                for (Execution execution : several) {
                    execution.begin();
                }
            }
            Execution first = one != null ? one : first(several);
            Object before = first == null ? null : first.enter(several);
            try {
                result = handler.call();
            } finally {
                if (first != null) {
                    first.leave(before);
                }
            }
            requireNotStopped(one, several);
        } catch (Throwable e) {
            return settlement.failed(e);
        }
        return settlement.succeeded(result);
    }

    private static @Nullable Execution first(@Nullable Collection<? extends Execution> several) {
        return several == null || several.isEmpty() ? null : several.iterator().next();
    }

    private static void requireNotStopped(@Nullable Execution one, @Nullable Collection<? extends Execution> several) {
        if (one != null) {
            requireNotStopped(one);
        }
        if (several != null) {
            several.forEach(HandlerRun::requireNotStopped);
        }
    }

    /**
     * Returns the failure of a handler that has returned although one of its steps had found that the claim is lost; null if there
     * is none. Another consumer handles the message: to acknowledge it here, although a part of its work was left out, could
     * lose it. For adapters whose work ends after the handler has returned; others get it from {@link #run}.
     */
    public static @Nullable LeaseLostException stopped(Execution execution) {
        return execution.stoppedAtStep()
                ? new LeaseLostException("The handler of message ID " + execution.key()
                        + " returned although a step had thrown a LeaseLostException, which must end the handler")
                : null;
    }

    private static void requireNotStopped(Execution execution) {
        LeaseLostException stopped = stopped(execution);
        if (stopped != null) {
            throw stopped;
        }
    }

    /**
     * Whether a failure must be deferred instead of being passed to the broker's retries and dead-lettering.
     *
     * @param leaseLost the result of {@link Execution#fail} or {@link DedupAdapter#failAll}: if true, the consumer that
     *     took over the claim decides. A handler that ended with a {@link LeaseLostException} has lost it, too
     */
    public static boolean isDeferral(boolean leaseLost, Throwable thrown) {
        return (leaseLost || Causes.first(thrown, LeaseLostException.class) != null) && !(thrown instanceof Error);
    }
}
