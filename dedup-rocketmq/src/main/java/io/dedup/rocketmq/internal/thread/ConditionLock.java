package io.dedup.rocketmq.internal.thread;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** A lock, and threads that wait until a condition on what it guards is true. Thread-safe. */
public final class ConditionLock {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** Returns what the action returns, which runs under the lock. */
    public <T> T get(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
    }

    /** Runs the action under the lock. */
    public void run(Runnable action) {
        lock.lock();
        try {
            action.run();
        } finally {
            lock.unlock();
        }
    }

    /** Runs the action under the lock, and lets all waiting threads look at their conditions. */
    public void change(Runnable action) {
        lock.lock();
        try {
            action.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Lets all waiting threads look at their conditions. Under the lock only. */
    public void changed() {
        changed.signalAll();
    }

    /** Waits, without the lock meanwhile. Under the lock only. */
    public void awaitUninterruptibly(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            changed.awaitUninterruptibly();
        }
    }

    /** Waits for at most this time, less when the thread is interrupted, and returns whether the condition is true. */
    public boolean await(Duration longest, BooleanSupplier condition) {
        return get(() -> {
            long left = longest.toNanos();
            try {
                while (!condition.getAsBoolean() && left > 0) {
                    left = changed.awaitNanos(left);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return condition.getAsBoolean();
        });
    }
}
