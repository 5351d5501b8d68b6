package io.dedup.store.transaction;

import io.dedup.DedupStoreException;
import org.jspecify.annotations.Nullable;

/**
 * An earlier statement of the handler broke the transaction, and the handler continued regardless. This counts as a
 * failure of the handler, not of the store.
 */
public final class BrokenTransactionException extends DedupStoreException {
    private static final long serialVersionUID = 1L;

    public BrokenTransactionException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
