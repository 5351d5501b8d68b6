package io.dedup.store;

import io.dedup.DedupStoreException;
import java.util.Objects;

/** A store's answer to complete, release or renew. */
public sealed interface WriteResult {
    /** The write was applied. */
    record Applied() implements WriteResult {
        private static final Applied INSTANCE = new Applied();
    }

    /** The claim no longer belongs to this owner; nothing was changed. */
    record LeaseLost() implements WriteResult {
        private static final LeaseLost INSTANCE = new LeaseLost();
    }

    /** The store failed: the write may or may not have been applied. */
    record StoreError(DedupStoreException cause) implements WriteResult {
        public StoreError {
            Objects.requireNonNull(cause, "cause");
        }
    }

    /** Returns {@link Applied}. */
    static WriteResult applied() {
        return Applied.INSTANCE;
    }

    /** Returns {@link LeaseLost}. */
    static WriteResult leaseLost() {
        return LeaseLost.INSTANCE;
    }

    /** Whether this is {@link Applied}. */
    default boolean isApplied() {
        return this instanceof Applied;
    }
}
