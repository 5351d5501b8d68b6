package io.dedup.store.transaction;

import io.dedup.DedupStoreException;
import org.jspecify.annotations.Nullable;

/**
 * What ran in the transaction has spoilt it before, and went on as if it hadn't: a failure of the handler's, not of the
 * store.
 */
public final class BrokenTransactionException extends DedupStoreException {
    private static final long serialVersionUID = 1L;

    public BrokenTransactionException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
