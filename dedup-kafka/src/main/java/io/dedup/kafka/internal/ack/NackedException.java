package io.dedup.kafka.internal.ack;

/** Tells listeners why a claim was released: the handler gave its message back by {@code nack}. Never thrown. */
public final class NackedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public NackedException(String what) {
        super("the handler gave it back: " + what, null, false, false);
    }
}
