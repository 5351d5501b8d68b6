package io.dedup.rocketmq.remoting;

/** A listener said, by what it returned, that its message hasn't taken effect. */
final class NotHandledException extends Exception {
    private static final long serialVersionUID = 1L;

    NotHandledException(String message) {
        super(message, null, false, false); // where it was thrown tells nothing
    }
}
