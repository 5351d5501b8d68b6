package io.dedup.adapter;

import org.jspecify.annotations.Nullable;

/**
 * How a run ends: at the handler's return, with an acknowledgment, with a future, with a transaction … One implementation for
 * each way. {@link HandlerRun} calls exactly one of the two methods, once.
 *
 * @param <T> what the handler returns
 * @param <E> what the caller of the run learns
 */
public interface Settlement<T extends @Nullable Object, E extends @Nullable Object> {
    /**
     * The handler returned: completes the executions, or leaves them to what completes them later. What this throws isn't a
     * failure of the handler and is never handed to {@link #failed}: releasing the claim would make the effect happen twice.
     */
    E succeeded(T result);

    /**
     * The run couldn't begin, or the handler threw: releases each execution, or abandons it where the work may go on. Then it
     * answers, or throws what the broker's client is to get.
     *
     * @param thrown whatever it is, an {@link Error}, too: a claim that nobody releases holds the message for its lease
     */
    E failed(Throwable thrown);
}
