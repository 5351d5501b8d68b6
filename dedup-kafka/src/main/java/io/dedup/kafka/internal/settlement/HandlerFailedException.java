package io.dedup.kafka.internal.settlement;

/** Carries a batch handler's failure out of its transaction; what to do about it is decided afterwards. */
public final class HandlerFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Throwable thrown;
    private final boolean leaseLost;

    public HandlerFailedException(Throwable thrown, boolean leaseLost) {
        super(null, thrown, false, false);
        this.thrown = thrown;
        this.leaseLost = leaseLost;
    }

    /** What the handler threw. */
    public Throwable thrown() {
        return thrown;
    }

    /** Whether the lease of one of its claims had been lost. */
    public boolean leaseLost() {
        return leaseLost;
    }
}
