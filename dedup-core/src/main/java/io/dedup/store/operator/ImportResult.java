package io.dedup.store.operator;

import io.dedup.DedupStoreException;
import java.util.Objects;

/** A store's answer to an {@link ImportRequest}. */
public sealed interface ImportResult {
    /** What the store did with a request. */
    enum Decision implements ImportResult {
        /** The message is now recorded as done, or its record now has the later completion and end of the window. */
        IMPORTED,
        /** The message was recorded as done, with a window that ends no earlier. Nothing was changed. */
        KNOWN,
        /** The message is being handled under a live lease or in an open transaction. Nothing was changed. */
        HELD,
        /** The window has ended by the store's clock. Nothing was changed. */
        OVER
    }

    /** The store failed: the request may or may not have been applied. */
    record StoreError(DedupStoreException cause) implements ImportResult {
        public StoreError {
            Objects.requireNonNull(cause, "cause");
        }
    }
}
