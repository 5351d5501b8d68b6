package io.dedup.kafka.internal.settlement;

/** The transaction of a part of a batch has failed, and not its handler. */
public final class NotCommittedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final RuntimeException failure;

    NotCommittedException(RuntimeException failure) {
        super(null, failure, false, false);
        this.failure = failure;
    }

    /** What the transaction threw. */
    public RuntimeException failure() {
        return failure;
    }
}
