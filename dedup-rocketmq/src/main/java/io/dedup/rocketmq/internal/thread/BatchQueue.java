package io.dedup.rocketmq.internal.thread;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects elements while a task is busy with earlier ones, and then passes all of them to the task together, so that
 * one call to the store serves them all. {@link #add} is thread-safe.
 *
 * @param <T> the type of the elements
 */
public final class BatchQueue<T> {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.rocketmq.SimpleConsumerLoop");
    private static final int MOST = 500;

    private final BlockingQueue<T> queue = new LinkedBlockingQueue<>();

    /** Adds an element to the next batch. */
    public void add(T element) {
        queue.add(element);
    }

    /**
     * Passes batches to the task, on the current thread.
     *
     * @param task called with 1 to 500 elements, in the order in which they were added; handles its own failures
     * @param isOver ends the method when it returns true; checked every 100 ms
     */
    public void drain(Consumer<List<T>> task, BooleanSupplier isOver) {
        while (!isOver.getAsBoolean()) {
            try {
                List<T> batch = new ArrayList<>(MOST); // first: without memory for it, what was polled would be dropped
                T first = queue.poll(100, TimeUnit.MILLISECONDS);
                if (first != null) {
                    batch.add(first);
                    queue.drainTo(batch, MOST - 1);
                    task.accept(batch);
                }
            } catch (InterruptedException e) {
                log.debug("Unexpected interrupt", e);
            } catch (RuntimeException | Error e) { // otherwise messages would wait for this thread forever
                log.error("Cannot process a batch of messages; continuing with the next batch", e);
            }
        }
    }
}
