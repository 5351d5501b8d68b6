package io.dedup.kafka.internal.consumer;

/**
 * An error handler's retry of a batch listener. The error handler takes the listener's return for the end of the whole
 * poll. Used by the consumer's thread.
 */
public final class BatchRetry {
    private boolean running;
    private boolean uncommitted;

    /** An error handler starts with a poll. */
    public void begin() {
        uncommitted = false;
    }

    /** The error handler calls the listener again. */
    public void run(Runnable listener) {
        running = true;
        try {
            listener.run();
        } finally {
            running = false;
        }
    }

    /** Whether an error handler is calling the listener. */
    public boolean isRunning() {
        return running;
    }

    /** The listener returned to the error handler before everything that it was given is acknowledged. */
    public void leaveUncommitted() {
        uncommitted = true;
    }

    /** Whether the container must not commit, although the error handler has succeeded. */
    public boolean isUncommitted() {
        return uncommitted;
    }
}
