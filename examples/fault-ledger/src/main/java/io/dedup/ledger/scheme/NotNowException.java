package io.dedup.ledger.scheme;

/** Another consumer is handling this message, so it must be redelivered. */
final class NotNowException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NotNowException(String message) {
        super(message);
    }
}
