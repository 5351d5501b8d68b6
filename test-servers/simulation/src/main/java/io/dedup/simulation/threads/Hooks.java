package io.dedup.simulation.threads;

import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What woven code calls instead of the JDK: each method stands for the one of the same name, with the object that it would be
 * called on as its first argument. Public because that code is in other packages.
 */
public final class Hooks {
    /** A poll in a loop that only looks whether it should end needn't come back so often: time costs nothing, turns do. */
    private static final long IDLE_POLLS = 20;

    private Hooks() {}

    public static long nanoTime() {
        return Schedule.isHere() ? Schedule.current().nanoTime() : System.nanoTime();
    }

    public static long currentTimeMillis() {
        return Schedule.isHere() ? Schedule.current().instant().toEpochMilli() : System.currentTimeMillis();
    }

    /** {@code Instant.now()}. */
    public static Instant now() {
        return Schedule.isHere() ? Schedule.current().instant() : Instant.now();
    }

    /** {@code InstantSource.system()}. */
    public static InstantSource system() {
        return Hooks::now;
    }

    public static void sleep(long millis) throws InterruptedException {
        Schedule schedule = Schedule.current();
        schedule.await(() -> false, schedule.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis), true);
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    public static void parkNanos(long nanos) {
        if (nanos <= 0) {
            return;
        }
        Schedule schedule = Schedule.current();
        Schedule.Turns me = Carrier.current();
        schedule.await(me::hasPermit, schedule.nanoTime() + nanos, true);
        me.permit(false);
    }

    public static void unpark(@Nullable Thread thread) {
        if (thread instanceof Carrier carrier && carrier.carried() != null) {
            carrier.carried().permit(true);
        }
    }

    public static void lock(ReentrantLock lock) {
        Schedule schedule = Schedule.current();
        schedule.mayHandOver();
        while (!lock.tryLock()) {
            schedule.await(() -> !lock.isLocked(), Long.MAX_VALUE, false);
        }
    }

    public static void lockInterruptibly(ReentrantLock lock) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        lock(lock);
    }

    public static Condition newCondition(ReentrantLock lock) {
        return new SimulatedCondition(lock);
    }

    public static <T> @Nullable T poll(BlockingQueue<T> queue, long time, TimeUnit unit) throws InterruptedException {
        Schedule schedule = Schedule.current();
        schedule.await(() -> !queue.isEmpty(), schedule.nanoTime() + unit.toNanos(time) * IDLE_POLLS, true);
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        return queue.poll();
    }

    public static void join(Thread thread, long millis) throws InterruptedException {
        if (thread instanceof SimulatedThread simulated) {
            Schedule schedule = Schedule.current();
            long until = millis == 0 ? Long.MAX_VALUE : schedule.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
            schedule.await(simulated::isDone, until, true);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }

    public static void await(CountDownLatch latch) throws InterruptedException {
        boolean unused = await(latch, Long.MAX_VALUE, TimeUnit.NANOSECONDS);
    }

    public static boolean await(CountDownLatch latch, long time, TimeUnit unit) throws InterruptedException {
        Schedule schedule = Schedule.current();
        long nanos = unit.toNanos(time);
        long until = nanos == Long.MAX_VALUE ? nanos : schedule.nanoTime() + nanos;
        schedule.await(() -> latch.getCount() == 0, until, true);
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        return latch.getCount() == 0;
    }

    public static <T extends @Nullable Object> T join(CompletableFuture<T> future) {
        Schedule.current().await(future::isDone, Long.MAX_VALUE, false);
        return future.join();
    }

    public static Executor delayedExecutor(long delay, TimeUnit unit) {
        return task -> Schedule.current()
                .after(java.time.Duration.ofNanos(unit.toNanos(delay)))
                .execute(task);
    }

    public static ScheduledExecutorService newScheduledThreadPool(int threads, ThreadFactory factory) {
        return new SimulatedTimers(threads, factory);
    }

    public static ScheduledExecutorService newSingleThreadScheduledExecutor(ThreadFactory factory) {
        return new SimulatedTimers(1, factory);
    }
}
