package io.dedup.internal.storecall;

import io.dedup.DedupStoreException;

/** Stands for a question that the store wasn't asked, so that nothing can have come of it. */
final class NotAskedException extends DedupStoreException {
    private static final long serialVersionUID = 1L;

    NotAskedException(String message) {
        super(message, null);
    }

    /** One for each message while the store is down: too many for stack traces that say nothing. */
    @Override
    public Throwable fillInStackTrace() {
        return this;
    }
}
