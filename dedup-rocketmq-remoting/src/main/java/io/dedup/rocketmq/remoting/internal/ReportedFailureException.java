package io.dedup.rocketmq.remoting.internal;

/** A listener said, by what it returned, that its message hasn't taken effect. */
final class ReportedFailureException extends Exception {
    private static final long serialVersionUID = 1L;

    ReportedFailureException(String message) {
        super(message, null, false, false); // where it was thrown tells nothing
    }
}
