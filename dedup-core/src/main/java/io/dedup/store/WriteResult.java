package io.dedup.store;

import io.dedup.DedupStoreException;
import java.util.Objects;

/** What a store answers to a complete, release or renew. */
public sealed interface WriteResult {
    /** Done as asked. */
    record Applied() implements WriteResult {
        private static final Applied INSTANCE = new Applied();
    }

    /** The record isn't this owner's any more; nothing changed. */
    record LeaseLost() implements WriteResult {
        private static final LeaseLost INSTANCE = new LeaseLost();
    }

    /** Nothing is known: the write may or may not have been applied. Only in answers to batches. */
    record StoreError(DedupStoreException cause) implements WriteResult {
        public StoreError {
            Objects.requireNonNull(cause, "cause");
        }
    }

    static WriteResult applied() {
        return Applied.INSTANCE;
    }

    static WriteResult leaseLost() {
        return LeaseLost.INSTANCE;
    }

    default boolean isApplied() {
        return this instanceof Applied;
    }
}
