package io.dedup.store;

import io.dedup.DedupStoreException;
import org.jspecify.annotations.Nullable;

/**
 * The store doesn't take a result of this size. Nothing has been changed, and a transaction that it was meant for goes on:
 * the same request without the result can succeed.
 */
public final class ResultTooLargeException extends DedupStoreException {
    private static final long serialVersionUID = 1L;

    public ResultTooLargeException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
