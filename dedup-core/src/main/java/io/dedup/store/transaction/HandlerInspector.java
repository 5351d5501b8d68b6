package io.dedup.store.transaction;

import org.jspecify.annotations.Nullable;

/** Inspects handlers at start: an optional capability of {@link TransactionalRecords}. */
public interface HandlerInspector {
    /**
     * Explains why a handler would run outside the transactions that are opened here, as far as its declaration shows;
     * null if nothing indicates that. Other violations are only detected when the handler runs.
     *
     * @param handler the user's object, or a proxy of it
     * @param method the method that handles messages, of the object's class or of one of its interfaces
     * @return the rest of a sentence that starts with the handler's name: "is declared as ..."
     */
    @Nullable
    String outside(Object handler, HandlerMethod method);
}
