package io.dedup.store.transaction;

import org.jspecify.annotations.Nullable;

/** Records that can look at a handler before the start: an optional capability of {@link TransactionalRecords}. */
public interface HandlerInspector {
    /**
     * Why what a handler does wouldn't be in a transaction that is opened here, as far as its declaration shows; null where
     * nothing speaks against it. What isn't declared shows when the handler runs.
     *
     * @param handler the user's object, or a proxy of it
     * @param method that handles messages: its own, or one of its interfaces'
     * @return what goes on from the handler's name: "is declared as ..."
     */
    @Nullable
    String outside(Object handler, HandlerMethod method);
}
