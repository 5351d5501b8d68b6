package io.dedup.ledger.scheme;

/** Somebody else is at this message: to be delivered again. */
final class NotNowException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NotNowException(String message) {
        super(message);
    }
}
