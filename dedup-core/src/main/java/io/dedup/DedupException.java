package io.dedup;

import org.jspecify.annotations.Nullable;

/** The base class of the exceptions of this framework. */
public abstract class DedupException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    protected DedupException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
