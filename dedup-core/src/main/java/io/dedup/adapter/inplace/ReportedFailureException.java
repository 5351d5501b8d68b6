package io.dedup.adapter.inplace;

/** A listener reported, by what it returned, that its message has had no effect. Has no stack trace. */
public final class ReportedFailureException extends Exception {
    private static final long serialVersionUID = 1L;

    /** @param message says what the listener returned */
    public ReportedFailureException(String message) {
        super(message, null, false, false); // where it was thrown tells nothing
    }
}
