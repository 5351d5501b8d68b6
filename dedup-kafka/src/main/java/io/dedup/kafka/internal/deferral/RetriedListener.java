package io.dedup.kafka.internal.deferral;

import io.dedup.kafka.internal.consumer.BoundConsumers;

/**
 * The container's call of a batch listener, as an error handler gets it for retries. For a deferral or the failure of
 * one record it throws an Error, to leave the error handler's retry loop: the loop catches exceptions and would count
 * them as another failed attempt of the whole poll. Used by one thread.
 */
final class RetriedListener implements Runnable {
    private final BoundConsumers consumers;
    private final Runnable listener;
    private boolean left;

    RetriedListener(BoundConsumers consumers, Runnable listener) {
        this.consumers = consumers;
        this.listener = listener;
    }

    /** Leaves the retry loop. */
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

    /** Whether the loop was left, or should have been. */
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
