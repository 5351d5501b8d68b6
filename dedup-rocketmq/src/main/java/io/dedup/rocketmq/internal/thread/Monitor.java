package io.dedup.rocketmq.internal.thread;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** A lock, and those who wait for what it guards to change. Thread-safe. */
public final class Monitor {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** Does it under the lock. */
    public <T> T with(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
    }

    /** Wakes up all who wait. Under the lock only. */
    public void changed() {
        changed.signalAll();
    }

    /** Waits, without the lock meanwhile. Under the lock only. */
    public void awaitUninterruptibly(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            changed.awaitUninterruptibly();
        }
    }

    /** Waits, and tells whether it has become true; less long when interrupted. */
    public boolean await(Duration longest, BooleanSupplier condition) {
        return with(() -> {
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
