package io.dedup.rocketmq;

import io.dedup.engine.DedupEngine;
import io.dedup.engine.Execution;
import io.dedup.engine.WaitBudget;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Marks messages as done: all that have come together since the last time, with one call. Thread-safe. */
final class Finisher implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(SimpleConsumerLoop.class);
    private static final int MOST = 500;
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(1); // leases bound it as well

    private final BlockingQueue<OpenMessage> queue = new LinkedBlockingQueue<>();
    private final DedupEngine engine;
    private final Consumer<OpenMessage> then;
    private final BooleanSupplier isOver;

    /** @param then is given each message once it is done, or as done as it can be */
    Finisher(DedupEngine engine, Consumer<OpenMessage> then, BooleanSupplier isOver) {
        this.engine = engine;
        this.then = then;
        this.isOver = isOver;
    }

    /** The effect of this message has happened. */
    void add(OpenMessage message) {
        queue.add(message);
    }

    @Override
    public void run() {
        List<OpenMessage> batch = new ArrayList<>();
        while (!isOver.getAsBoolean()) {
            try {
                OpenMessage first = queue.poll(100, TimeUnit.MILLISECONDS);
                if (first != null) {
                    batch.add(first);
                    queue.drainTo(batch, MOST - 1);
                    finish(batch);
                    batch.clear();
                }
            } catch (InterruptedException e) {
                log.debug("nobody interrupts this thread", e);
            }
        }
    }

    private void finish(List<OpenMessage> batch) {
        List<Execution> executions = batch.stream()
                .map(message -> Objects.requireNonNull(message.execution))
                .toList();
        try {
            engine.succeedAll(executions, WaitBudget.of(LONGEST_WAIT)); // whatever it says: the effects have happened
        } catch (RuntimeException | Error e) {
            log.error("Messages couldn't be marked as done", e);
        }
        for (OpenMessage message : batch) {
            try {
                then.accept(message);
            } catch (RuntimeException | Error e) { // the others are to be acked all the same
                log.error("{} couldn't be acked", MessageDeliveries.origin(message.view), e);
            }
        }
    }
}
