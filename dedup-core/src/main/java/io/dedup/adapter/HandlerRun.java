package io.dedup.adapter;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * The order of steps of every run: begin, call the handler, settle. It stands here and nowhere else.
 *
 * <p>Whatever the handler throws is settled, {@link Error}s as well. An Error is then thrown on as it is: it is never turned
 * into a deferral, not even where the claim was lost, because it says something about this process rather than about the
 * message.
 */
public final class HandlerRun {
    private HandlerRun() {}

    /** Runs the handler of one execution. */
    public static <T extends @Nullable Object, E extends @Nullable Object> E run(
            Execution execution, HandlerCall<T> handler, Settlement<T, E> settlement) {
        return run(execution, null, handler, settlement);
    }

    /** Runs the one handler of several executions, which succeeds or fails for all of them. */
    public static <T extends @Nullable Object, E extends @Nullable Object> E runAll(
            Collection<? extends Execution> executions, HandlerCall<T> handler, Settlement<T, E> settlement) {
        return run(null, executions, handler, settlement);
    }

    /** Takes one execution or several, so that a single one costs no list. */
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
            result = handler.call();
        } catch (Throwable e) {
            return settlement.failed(e);
        }
        return settlement.succeeded(result);
    }

    /**
     * Whether a failure is deferred instead of being handed to the broker's retries and to what gives up on messages.
     *
     * @param leaseLost what {@link Execution#fail} or {@link DedupAdapter#failAll} has answered: whoever has the message now
     *     decides
     */
    public static boolean isDeferral(boolean leaseLost, Throwable thrown) {
        return leaseLost && !(thrown instanceof Error);
    }
}
