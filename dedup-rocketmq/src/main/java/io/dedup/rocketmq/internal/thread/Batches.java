package io.dedup.rocketmq.internal.thread;

import io.dedup.rocketmq.internal.open.OpenMessage;
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
 * Collects messages while a task is busy with others, and then passes all of them to the task together, so that one call of
 * the store serves them all. To be run by one thread; {@link #add} is thread-safe.
 */
public final class Batches implements Runnable {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.rocketmq.SimpleConsumerLoop");
    private static final int MOST = 500;

    private final BlockingQueue<OpenMessage> queue = new LinkedBlockingQueue<>();
    private final Consumer<List<OpenMessage>> task;
    private final BooleanSupplier isOver;

    /**
     * @param task is called with 1 to 500 messages, in the order in which they were added; reports its own failures
     * @param isOver ends {@link #run} when it is true; looked at every 100 ms
     */
    public Batches(Consumer<List<OpenMessage>> task, BooleanSupplier isOver) {
        this.task = task;
        this.isOver = isOver;
    }

    public void add(OpenMessage message) {
        queue.add(message);
    }

    @Override
    public void run() {
        while (!isOver.getAsBoolean()) {
            try {
                OpenMessage first = queue.poll(100, TimeUnit.MILLISECONDS);
                if (first != null) {
                    List<OpenMessage> batch = new ArrayList<>();
                    batch.add(first);
                    queue.drainTo(batch, MOST - 1);
                    task.accept(batch);
                }
            } catch (InterruptedException e) {
                log.debug("nobody interrupts this thread", e);
            } catch (RuntimeException | Error e) { // messages would wait for this thread for ever
                log.error("A batch of messages failed; the loop goes on with the next", e);
            }
        }
    }
}
