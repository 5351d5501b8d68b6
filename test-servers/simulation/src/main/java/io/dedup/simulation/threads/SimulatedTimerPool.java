package io.dedup.simulation.threads;

import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/** What {@code new ScheduledThreadPoolExecutor} makes in a simulated run. */
public class SimulatedTimerPool extends ScheduledThreadPoolExecutor {
    private final SimulatedTimers timers;

    public SimulatedTimerPool(int threads, ThreadFactory factory) {
        super(threads, factory);
        this.timers = new SimulatedTimers(threads, factory);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        return timers.schedule(command, delay, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long first, long pause, TimeUnit unit) {
        return timers.scheduleWithFixedDelay(command, first, pause, unit);
    }

    @Override
    public void execute(Runnable command) {
        timers.execute(command);
    }

    @Override
    public void shutdown() {
        timers.shutdown();
    }

    @Override
    public List<Runnable> shutdownNow() {
        return timers.shutdownNow();
    }

    @Override
    public boolean isShutdown() {
        return timers.isShutdown();
    }
}
