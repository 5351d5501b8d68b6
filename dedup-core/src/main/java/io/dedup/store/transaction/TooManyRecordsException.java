package io.dedup.store.transaction;

import io.dedup.DedupStoreException;
import org.jspecify.annotations.Nullable;

/** The database can't keep so many records in flight at once: ask for fewer in one transaction. */
public final class TooManyRecordsException extends DedupStoreException {
    private static final long serialVersionUID = 1L;

    public TooManyRecordsException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
