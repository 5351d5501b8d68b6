package io.dedup.kafka.internal.ack;

/** Reports to listeners of the deduplicator why a claim was released: the handler called {@code nack}. Never thrown. */
public final class NackedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public NackedException(String what) {
        super("The handler called nack or release: " + what, null, false, false);
    }
}
