package io.dedup.store;

import io.dedup.DedupStoreException;
import org.jspecify.annotations.Nullable;

/**
 * The result exceeds the limit of the store. Nothing was changed, and a transaction in progress can continue: the same
 * request without the result can succeed.
 */
public final class ResultTooLargeException extends DedupStoreException {
    private static final long serialVersionUID = 1L;

    public ResultTooLargeException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
