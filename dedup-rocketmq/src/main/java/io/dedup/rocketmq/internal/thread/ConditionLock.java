package io.dedup.rocketmq.internal.thread;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** A lock, and threads that wait for a condition on the state that it guards. Thread-safe. */
public final class ConditionLock {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** Runs the action under the lock and returns its result. */
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

    /** Runs the action under the lock, then makes all waiting threads check their conditions. */
    public void change(Runnable action) {
        lock.lock();
        try {
            action.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Makes all waiting threads check their conditions. Called under the lock. */
    public void changed() {
        changed.signalAll();
    }

    /** Waits for the condition, releasing the lock meanwhile. Called under the lock. */
    public void awaitUninterruptibly(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            changed.awaitUninterruptibly();
        }
    }

    /** Waits at most this long, or less if the thread is interrupted, and returns whether the condition is true. */
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
