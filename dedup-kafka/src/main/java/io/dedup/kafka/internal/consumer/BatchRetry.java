package io.dedup.kafka.internal.consumer;

/** An error handler's retry of a batch listener, whose return it takes for the end of the whole poll. Used by the consumer's thread. */
public final class BatchRetry {
    private boolean running;
    private boolean uncommitted;

    /** An error handler begins with a poll. */
    public void begin() {
        uncommitted = false;
    }

    /** The error handler runs the listener again. */
    public void run(Runnable listener) {
        running = true;
        try {
            listener.run();
        } finally {
            running = false;
        }
    }

    /** Whether the listener is called by an error handler. */
    public boolean isRunning() {
        return running;
    }

    /** The listener returned to the error handler before all that it was given is acknowledged. */
    public void leaveUncommitted() {
        uncommitted = true;
    }

    /** Whether the container mustn't commit although the error handler has succeeded. */
    public boolean isUncommitted() {
        return uncommitted;
    }
}
