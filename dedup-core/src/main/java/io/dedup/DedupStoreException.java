package io.dedup;

import org.jspecify.annotations.Nullable;

/**
 * A store didn't give a usable answer: unreachable, too slow, out of memory, or in a state that it refuses to work in.
 * The operation may or may not have been applied.
 */
public class DedupStoreException extends DedupException {
    private static final long serialVersionUID = 1L;

    public DedupStoreException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
