package io.dedup.ledger.consumer;

/** This message never succeeds. */
final class PoisonException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    PoisonException() {
        super("poison");
    }
}
