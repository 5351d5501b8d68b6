package io.dedup.adapter;

import org.jspecify.annotations.Nullable;

/**
 * Calls a handler.
 *
 * @param <T> the type of the result
 */
@FunctionalInterface
public interface HandlerCall<T extends @Nullable Object> {
    /** Calls the handler and returns its result, which may be null. */
    @Nullable
    T call() throws Throwable;
}
