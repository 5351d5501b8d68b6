package io.dedup.simulation.threads;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A condition of a lock. */
@SuppressWarnings("WaitNotInLoop") // the callers loop
final class SimulatedCondition implements Condition {
    private final ReentrantLock lock;
    private final List<boolean[]> waiting = new ArrayList<>();

    SimulatedCondition(ReentrantLock lock) {
        this.lock = lock;
    }

    private boolean waitFor(long nanos, boolean interruptible) {
        if (!lock.isHeldByCurrentThread()) {
            throw new IllegalMonitorStateException();
        }
        boolean[] signalled = new boolean[1];
        waiting.add(signalled);
        int holds = lock.getHoldCount();
        for (int i = 0; i < holds; i++) {
            lock.unlock();
        }
        Schedule schedule = Schedule.current();
        long until = nanos == Long.MAX_VALUE ? nanos : schedule.nanoTime() + nanos;
        try {
            schedule.await(() -> signalled[0], until, interruptible);
        } finally {
            waiting.remove(signalled);
            for (int i = 0; i < holds; i++) {
                Hooks.lock(lock);
            }
        }
        return signalled[0];
    }

    private static void throwIfInterrupted(boolean signalled) throws InterruptedException {
        if (!signalled && Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    @Override
    public void await() throws InterruptedException {
        throwIfInterrupted(waitFor(Long.MAX_VALUE, true));
    }

    @Override
    public void awaitUninterruptibly() {
        boolean unused = waitFor(Long.MAX_VALUE, false);
    }

    @Override
    public long awaitNanos(long nanos) throws InterruptedException {
        long until = Schedule.current().nanoTime() + nanos;
        throwIfInterrupted(waitFor(Math.max(0, nanos), true));
        return until - Schedule.current().nanoTime();
    }

    @Override
    public boolean await(long time, TimeUnit unit) throws InterruptedException {
        return awaitNanos(unit.toNanos(time)) > 0;
    }

    @Override
    public boolean awaitUntil(Date deadline) throws InterruptedException {
        return awaitNanos(Duration.between(Schedule.current().instant(), deadline.toInstant())
                        .toNanos())
                > 0;
    }

    @Override
    public void signal() {
        if (!waiting.isEmpty()) {
            waiting.remove(0)[0] = true;
        }
    }

    @Override
    public void signalAll() {
        waiting.forEach(each -> each[0] = true);
        waiting.clear();
    }
}
