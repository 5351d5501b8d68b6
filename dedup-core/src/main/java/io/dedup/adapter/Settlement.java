package io.dedup.adapter;

import org.jspecify.annotations.Nullable;

/**
 * Settles a run: at the handler's return, with an acknowledgment, with a future, with a transaction, and so on; there
 * is one implementation for each way. {@link HandlerRun} calls exactly one of the two methods, once.
 *
 * @param <T> the type of the handler's result
 * @param <E> the type of the result for the caller of the run
 */
public interface Settlement<T extends @Nullable Object, E extends @Nullable Object> {
    /**
     * Called when the handler has returned: completes the executions, or leaves them to be completed later. An
     * exception from this method is not a failure of the handler and is never passed to {@link #failed}, because
     * releasing the claim would make the effect happen twice.
     */
    E succeeded(T result);

    /**
     * Called when the run could not begin or the handler threw: releases each execution, or abandons it if the work may
     * still be running. Then returns, or throws what the broker's client is to receive.
     *
     * @param thrown the exception; may be an {@link Error}. A claim that is not released blocks the message until its
     *     lease expires
     */
    E failed(Throwable thrown);
}
