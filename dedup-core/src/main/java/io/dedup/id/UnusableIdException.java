package io.dedup.id;

import org.jspecify.annotations.Nullable;

/**
 * Explains why a message has no usable ID. Logs show the explanation whole, where they cut off the message of any other
 * exception of a {@link MessageIdExtractor}: so it must not quote the content of a message.
 */
public final class UnusableIdException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    /** Creates one with an explanation that begins with what is wrong, and ends with what to do. */
    public UnusableIdException(String explanation) {
        this(explanation, null);
    }

    /** Creates one with a cause, which isn't logged. */
    public UnusableIdException(String explanation, @Nullable Throwable cause) {
        super(explanation, cause);
    }
}
