package io.dedup.kafka.internal.deferral;

import io.dedup.kafka.internal.consumer.BoundConsumers;

/**
 * The container's call of a batch listener, as an error handler gets it for its retries. Leaves the handler's retry loop, which
 * catches exceptions and takes them for another failed attempt of the whole poll, by an error: for a deferral, or the failure
 * of one record. Used by one thread.
 */
final class RetriedListener implements Runnable {
    private final BoundConsumers consumers;
    private final Runnable listener;
    private boolean left;

    RetriedListener(BoundConsumers consumers, Runnable listener) {
        this.consumers = consumers;
        this.listener = listener;
    }

    /** Leaves the loop. */
    static final class LeaveRetry extends Error {
        private static final long serialVersionUID = 1L;

        @SuppressWarnings("serial")
        private final RuntimeException thrown;

        LeaveRetry(RuntimeException thrown) {
            super(thrown.getMessage(), thrown, false, false);
            this.thrown = thrown;
        }

        RuntimeException thrown() {
            return thrown;
        }
    }

    /** Whether a loop was left, or should have been. */
    boolean left() {
        return left;
    }

    @Override
    public void run() {
        try {
            consumers.current().batchRetry().run(listener);
        } catch (RuntimeException e) {
            if (Deferrals.in(e) != null || RecordFailedException.in(e) != null) {
                left = true;
                throw new LeaveRetry(e);
            }
            throw e;
        }
    }
}
