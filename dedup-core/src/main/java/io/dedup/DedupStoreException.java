package io.dedup;

import org.jspecify.annotations.Nullable;

/**
 * A call of the store failed: the store is unreachable, too slow, out of memory, or refuses to work in its current
 * state. The operation may or may not have been applied.
 */
public class DedupStoreException extends DedupException {
    private static final long serialVersionUID = 1L;

    public DedupStoreException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
