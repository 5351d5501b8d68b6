package io.dedup.store.transaction;

import io.dedup.DedupStoreException;
import org.jspecify.annotations.Nullable;

/** The database cannot keep so many records in flight: claim fewer in one transaction. */
public final class TooManyRecordsException extends DedupStoreException {
    private static final long serialVersionUID = 1L;

    public TooManyRecordsException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
