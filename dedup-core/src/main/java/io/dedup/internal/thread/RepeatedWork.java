package io.dedup.internal.thread;

import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Work that is done whenever it is needed, and never twice at a time. Thread-safe.
 *
 * <p>Only {@link #cancel} ends the looks whether it is needed. What a look itself needs was allocated before, so that it goes on
 * after a lack of memory.
 */
public final class RepeatedWork {
    private final Executor workers;
    private final BooleanSupplier isNeeded;
    private final Runnable work;
    private final boolean onLooks;
    private final Runnable turn = this::turn;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ended = lock.newCondition();
    private boolean busy;
    private boolean again;
    private @Nullable Thread worker;
    private @Nullable Future<?> looks;
    private boolean cancelled;

    RepeatedWork(Executor workers, BooleanSupplier isNeeded, Runnable work, boolean onLooks) {
        this.workers = workers;
        this.isNeeded = isNeeded;
        this.work = work;
        this.onLooks = onLooks;
    }

    void beginLooks(ScheduledExecutorService timer, long periodNanos) {
        looks = timer.scheduleWithFixedDelay(this::look, periodNanos, periodNanos, TimeUnit.NANOSECONDS);
    }

    /** A scheduled task that throws would never run again. */
    private void look() {
        try {
            if (isNeeded.getAsBoolean() && reserve(false)) {
                dispatch(onLooks);
            }
        } catch (Throwable e) { // no memory; the next look follows
            return;
        }
    }

    /**
     * Begins now, or begins again when what is under way has ended. If no thread can be had, the next look tries it again.
     * Never throws.
     */
    public void startNow() {
        if (reserve(true)) {
            dispatch(false);
        }
    }

    private boolean reserve(boolean orAgain) {
        lock.lock();
        try {
            if (busy) {
                again |= orAgain;
                return false;
            }
            busy = !cancelled;
            return busy;
        } finally {
            lock.unlock();
        }
    }

    private void dispatch(boolean otherwiseHere) {
        try {
            workers.execute(turn);
        } catch (RejectedExecutionException | Error e) { // closed; no memory, or no thread available
            if (otherwiseHere) {
                turn();
            } else {
                end();
            }
        }
    }

    private void turn() {
        try {
            boolean isFirst = true;
            while (begin(isFirst)) {
                work.run();
                isFirst = false;
            }
        } catch (Throwable e) { // else it would never be done again
            end();
            throw e;
        }
    }

    private boolean begin(boolean isFirst) {
        lock.lock();
        try {
            if (cancelled || !(isFirst || again)) {
                end();
                return false;
            }
            worker = Thread.currentThread();
            again = false;
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void end() {
        lock.lock();
        try {
            worker = null;
            again = false;
            busy = false;
            ended.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the repetition. Work that is under way goes on. */
    public void cancel() {
        lock.lock();
        try {
            cancelled = true;
            if (looks != null) {
                looks.cancel(false);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Interrupts the work that is under way, and nothing else that its thread does. */
    public void interrupt() {
        lock.lock();
        try {
            if (worker != null) {
                worker.interrupt();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until no work is under way, but not longer than this.
     *
     * @throws InterruptedException if the calling thread is interrupted
     */
    public void awaitEnd(long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long until = System.nanoTime() + nanos;
            long left = nanos;
            while (busy && left > 0) {
                long unused = ended.awaitNanos(left);
                left = until - System.nanoTime();
            }
        } finally {
            lock.unlock();
        }
    }
}
