package io.dedup.simulation.threads;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** What {@code new ThreadPoolExecutor} makes in a simulated run. It has as many threads as it has work for, up to its core size, or to its maximum if it queues nothing. */
public class SimulatedPool extends ThreadPoolExecutor {
    private final BlockingQueue<Runnable> queue;
    private final int most;
    private final List<Thread> threads = new ArrayList<>();
    private int idle;
    private boolean shutDown;

    public SimulatedPool(
            int core, int max, long keep, TimeUnit unit, BlockingQueue<Runnable> queue, ThreadFactory factory) {
        super(core, max, keep, unit, queue, factory);
        boolean queues = !(queue instanceof SynchronousQueue);
        this.queue = queues ? queue : new LinkedBlockingQueue<>();
        this.most = queues ? core : max;
    }

    public SimulatedPool(
            int core,
            int max,
            long keep,
            TimeUnit unit,
            BlockingQueue<Runnable> queue,
            ThreadFactory factory,
            RejectedExecutionHandler handler) {
        super(core, max, keep, unit, queue, factory, handler);
        this.queue = queue;
        this.most = core;
    }

    @Override
    public int prestartAllCoreThreads() {
        return 0;
    }

    @Override
    public void execute(Runnable task) {
        if (shutDown) {
            getRejectedExecutionHandler().rejectedExecution(task, this);
            return;
        }
        queue.add(task);
        if (idle < queue.size() && threads.size() < most) {
            Thread thread = getThreadFactory().newThread(this::work);
            threads.add(thread);
            thread.start();
        }
        Schedule.current().mayHandOver();
    }

    private void work() {
        while (true) {
            idle++;
            Schedule.current().await(() -> shutDown || !queue.isEmpty(), Long.MAX_VALUE, false);
            idle--;
            Runnable task = queue.poll();
            if (task != null) {
                task.run();
            } else if (shutDown) {
                return;
            }
        }
    }

    @Override
    public void shutdown() {
        shutDown = true;
    }

    @Override
    public List<Runnable> shutdownNow() {
        shutDown = true;
        List<Runnable> left = new ArrayList<>();
        queue.drainTo(left);
        threads.forEach(Thread::interrupt);
        return left;
    }

    @Override
    public boolean isShutdown() {
        return shutDown;
    }
}
