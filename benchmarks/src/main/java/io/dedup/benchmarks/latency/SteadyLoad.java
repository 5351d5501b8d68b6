package io.dedup.benchmarks.latency;

import io.dedup.benchmarks.measure.Ids;
import io.dedup.benchmarks.subject.MessageHandling;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongPredicate;

/**
 * New messages at a steady rate, on a few threads that take turns. Each message is due at a fixed time, whatever happened to
 * those before it: one that is held up counts from then, not from when its call began.
 */
public final class SteadyLoad {
    private static final int THREADS = 4;
    private static final long FIRST_NEW = 1L << 60;

    /** Later loads begin at higher numbers than earlier ones have reached, since no message takes just a nanosecond. */
    private final AtomicLong next = new AtomicLong(FIRST_NEW + System.nanoTime());

    private final MessageHandling handling;
    private final long nanosBetween;

    public SteadyLoad(MessageHandling handling, int perSecond) {
        this.handling = handling;
        this.nanosBetween = 1_000_000_000L / perSecond;
    }

    /** Sees what happens. Called from several threads. */
    public interface Watcher {
        /** Times are those of {@link System#nanoTime}. */
        void handled(long due, long end);

        /** A message wasn't handled; returning tries it again, throwing ends the load. */
        void refused(long due, long at, RuntimeException cause);
    }

    /**
     * Runs until a message is due at a time that is over.
     *
     * @throws IllegalStateException if the watcher has thrown, or a new message is taken for a duplicate
     */
    public void run(LongPredicate isOver, Watcher watcher) throws InterruptedException {
        long from = System.nanoTime();
        List<FutureTask<Void>> tasks = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            long first = from + i * nanosBetween;
            FutureTask<Void> task = new FutureTask<>(() -> thread(first, isOver, watcher), null);
            tasks.add(task);
            new Thread(task, "load-" + i).start();
        }
        for (FutureTask<Void> task : tasks) {
            try {
                task.get();
            } catch (ExecutionException e) {
                throw new IllegalStateException("the load has ended", e.getCause());
            }
        }
    }

    private void thread(long first, LongPredicate isOver, Watcher watcher) {
        for (long due = first; !isOver.test(due); due += THREADS * nanosBetween) {
            waitUntil(due);
            handle(Ids.text(next.getAndIncrement()), due, watcher);
        }
    }

    private void handle(String id, long due, Watcher watcher) {
        boolean isNew = false;
        boolean ended = false;
        boolean again = false;
        while (!ended) {
            try {
                isNew = handling.handle(id);
                ended = true;
            } catch (RuntimeException e) {
                watcher.refused(due, System.nanoTime(), e);
                again = true; // it may have been handled, and the answer lost
            }
        }
        watcher.handled(due, System.nanoTime());
        if (!isNew && !again) {
            throw new IllegalStateException("a new message is taken for a duplicate: " + id);
        }
    }

    private static void waitUntil(long nanoTime) {
        for (long left = nanoTime - System.nanoTime(); left > 0; left = nanoTime - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
