package io.dedup.simulation.threads;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What {@code Executors.newScheduledThreadPool} makes in a simulated run. It has as many threads as it has work for. */
final class SimulatedTimers extends AbstractExecutorService implements ScheduledExecutorService {
    private final PriorityQueue<Timed<?>> queue = new PriorityQueue<>();
    private final List<Thread> threads = new ArrayList<>();
    private final int most;
    private final ThreadFactory factory;
    private int idle;
    private boolean shutDown;
    private long tasks;

    SimulatedTimers(int most, ThreadFactory factory) {
        this.most = most;
        this.factory = factory;
    }

    private <V extends @Nullable Object> Timed<V> add(Timed<V> task) {
        if (shutDown) {
            throw new RejectedExecutionException("shut down");
        }
        queue.add(task);
        if (idle == 0 && threads.size() < most) {
            Thread thread = factory.newThread(this::work);
            threads.add(thread);
            thread.start();
        }
        return task;
    }

    private void work() {
        Schedule schedule = Schedule.current();
        while (true) {
            idle++;
            // The condition of the first thread that waits looks at the clock, so that a task wakes one thread.
            while (!shutDown && !isDue(schedule)) {
                Timed<?> first = queue.peek();
                int known = queue.size();
                schedule.await(
                        () -> shutDown || queue.peek() != first || queue.size() != known,
                        first == null ? Long.MAX_VALUE : first.at,
                        false);
            }
            idle--;
            if (shutDown) {
                return;
            }
            Timed<?> due = queue.poll();
            if (due != null) {
                due.runNow();
            }
        }
    }

    private boolean isDue(Schedule schedule) {
        Timed<?> first = queue.peek();
        return first != null && first.at <= schedule.nanoTime();
    }

    private static long at(long delay, TimeUnit unit) {
        return Schedule.current().nanoTime() + Math.max(0, unit.toNanos(delay));
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        return add(new Timed<@Nullable Void>(
                () -> {
                    command.run();
                    return null;
                },
                at(delay, unit),
                0));
    }

    @Override
    public <V extends @Nullable Object> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
        return add(new Timed<>(callable, at(delay, unit), 0));
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long first, long period, TimeUnit unit) {
        return scheduleWithFixedDelay(command, first, period, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long first, long pause, TimeUnit unit) {
        return add(new Timed<@Nullable Void>(
                () -> {
                    command.run();
                    return null;
                },
                at(first, unit),
                unit.toNanos(pause)));
    }

    @Override
    public void execute(Runnable command) {
        var unused = schedule(command, 0, TimeUnit.NANOSECONDS);
    }

    @Override
    public void shutdown() {
        shutDown = true;
    }

    @Override
    public List<Runnable> shutdownNow() {
        shutDown = true;
        List<Runnable> left = new ArrayList<>(queue);
        queue.clear();
        threads.forEach(Thread::interrupt);
        return left;
    }

    @Override
    public boolean isShutdown() {
        return shutDown;
    }

    @Override
    public boolean isTerminated() {
        return shutDown;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return true;
    }

    private final class Timed<V extends @Nullable Object> extends FutureTask<V> implements ScheduledFuture<V> {
        private final long number = tasks++;
        private final long pause;
        private long at;

        Timed(Callable<V> work, long at, long pause) {
            super(work);
            this.at = at;
            this.pause = pause;
        }

        private void runNow() {
            if (pause == 0) {
                run();
            } else if (runAndReset() && !shutDown) {
                at = Schedule.current().nanoTime() + pause;
                queue.add(this);
            }
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(at - Schedule.current().nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            Timed<?> timed = (Timed<?>) other;
            return at != timed.at ? Long.compare(at, timed.at) : Long.compare(number, timed.number);
        }
    }
}
