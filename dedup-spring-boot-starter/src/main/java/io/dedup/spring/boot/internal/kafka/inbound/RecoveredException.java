package io.dedup.spring.boot.internal.kafka.inbound;

/**
 * The handler failed, and the error handling of the flow has taken the message: it has sent it to a dead-letter topic or to an error
 * channel. The claim is released, and the offset is committed. Never reaches an application.
 */
final class RecoveredException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RecoveredException(String listener) {
        super("The error handling of " + listener + " has taken the failed message", null, false, false);
    }
}
