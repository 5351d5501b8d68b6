package io.dedup.adapter.inplace;

/** A listener reported by its return value that it did not handle its message. Has no stack trace. */
public final class ReportedFailureException extends Exception {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message describes what the listener returned
     */
    public ReportedFailureException(String message) {
        super(message, null, false, false); // the stack trace would not help
    }
}
