package io.dedup.internal.run;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Events that happen to a run at most once. A superclass, because a separate object for every run would cost more.
 * Thread-safe.
 */
abstract class RunFlags {
    private static final VarHandle FLAGS;
    private static final int CLOSED = 1;
    private static final int LOSS_REPORTED = 2;
    private static final int OVERRUN_REPORTED = 4;
    private static final int SUCCEEDED = 8;
    private static final int ANSWERED = 16;
    private static final int LOST = 32;
    private static final int STOPPED = 64;
    private static final int UNASKED = 128;

    static {
        try {
            FLAGS = MethodHandles.lookup().findVarHandle(RunFlags.class, "flags", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile int flags;

    /** Marks the run as settled; true for the first caller only. */
    public final boolean close() {
        return isFirst(CLOSED);
    }

    public final boolean isClosed() {
        return (flags & CLOSED) != 0;
    }

    /** Marks that the handler has succeeded and a completion follows. */
    public final void markSucceeded() {
        boolean unused = isFirst(SUCCEEDED);
    }

    public final boolean isSucceeded() {
        return (flags & SUCCEEDED) != 0;
    }

    /** Marks that the store has answered the completion. */
    public final void markAnswered() {
        boolean unused = isFirst(ANSWERED);
    }

    public final boolean isAnswered() {
        return (flags & ANSWERED) != 0;
    }

    /** Marks that another owner has taken over the claim. */
    public final void markLost() {
        boolean unused = isFirst(LOST);
    }

    public final boolean isLost() {
        return (flags & LOST) != 0;
    }

    /** Marks that a step has thrown because the claim is lost. */
    public final void markStopped() {
        boolean unused = isFirst(STOPPED);
    }

    public final boolean isStopped() {
        return (flags & STOPPED) != 0;
    }

    /** Marks that the store was never asked for its claim, so that there is nothing to release. */
    public final void markUnasked() {
        boolean unused = isFirst(UNASKED);
    }

    public final boolean isUnasked() {
        return (flags & UNASKED) != 0;
    }

    /** True the first time that it is called. */
    public final boolean reportLossOnce() {
        return isFirst(LOSS_REPORTED);
    }

    /** True the first time that it is called. */
    public final boolean reportOverrunOnce() {
        return isFirst(OVERRUN_REPORTED);
    }

    private boolean isFirst(int flag) {
        return (flags & flag) == 0 && ((int) FLAGS.getAndBitwiseOr(this, flag) & flag) == 0;
    }
}
