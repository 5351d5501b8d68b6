package io.dedup.step;

import java.io.Serial;

/**
 * Ends a handler at its next step, because it has lost the lease of its message: another consumer may be handling it. The
 * message is deferred; this is not a failure of the handler. Do not catch it.
 */
public final class LeaseLostException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    /** Creates an exception. */
    public LeaseLostException(String message) {
        super(message);
    }
}
