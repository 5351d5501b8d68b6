package io.dedup.kafka;

/** Tells listeners why a claim was released: the handler gave its message back by {@code nack}. Never thrown. */
final class NackedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NackedException(String what) {
        super("the handler gave it back: " + what, null, false, false);
    }
}
