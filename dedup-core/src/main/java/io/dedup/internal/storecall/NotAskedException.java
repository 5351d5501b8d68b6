package io.dedup.internal.storecall;

import io.dedup.DedupStoreException;

/** Stands for a call that was not made, and so cannot have had any effect. */
final class NotAskedException extends DedupStoreException {
    private static final long serialVersionUID = 1L;

    NotAskedException(String message) {
        super(message, null);
    }

    /** Omits the stack trace: there is one such exception for each message while the store is down. */
    @Override
    public Throwable fillInStackTrace() {
        return this;
    }
}
