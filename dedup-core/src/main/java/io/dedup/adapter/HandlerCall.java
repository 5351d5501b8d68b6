package io.dedup.adapter;

import org.jspecify.annotations.Nullable;

/**
 * A call of a handler, which may return nothing.
 *
 * @param <T> what it returns
 */
@FunctionalInterface
public interface HandlerCall<T extends @Nullable Object> {
    @Nullable
    T call() throws Throwable;
}
