package io.dedup.rocketmq;

import io.dedup.engine.ConsumerGroup;
import io.dedup.engine.DedupEngine;
import io.dedup.engine.Execution;
import io.dedup.engine.Patience;
import io.dedup.engine.RunEnd;
import io.dedup.engine.WaitBudget;
import io.dedup.engine.Work;
import io.dedup.internal.Printable;
import io.dedup.rocketmq.internal.answer.Finisher;
import io.dedup.rocketmq.internal.answer.Prolonging;
import io.dedup.rocketmq.internal.broker.BrokerOrders;
import io.dedup.rocketmq.internal.claim.Decisions;
import io.dedup.rocketmq.internal.listener.Handling;
import io.dedup.rocketmq.internal.listener.MessageDeliveries;
import io.dedup.rocketmq.internal.loop.LoopSettings;
import io.dedup.rocketmq.internal.open.OpenMessage;
import io.dedup.rocketmq.internal.open.OpenMessages;
import io.dedup.rocketmq.internal.thread.Batches;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.rocketmq.client.apis.ClientException;
import org.apache.rocketmq.client.apis.consumer.SimpleConsumer;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives from a simple consumer, claims what came in one batch, runs the listener for each new message, and acks it when
 * it is done. Messages of one message group are handled in the order of their receipt, one after the other; each is claimed
 * when it is the first of its group, and kept invisible until then.
 *
 * <p>A message that is in flight elsewhere is kept, invisible for others, and the store is asked again; this spends none of
 * its delivery attempts. While the store doesn't answer, nothing more is received. Invisible time and lease are prolonged
 * together until the topic's {@code maxProcessingTime}.
 *
 * <p>Thread-safe. Its threads are daemons.
 */
public final class SimpleConsumerLoop implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(SimpleConsumerLoop.class);
    private static final AtomicInteger LOOPS = new AtomicInteger();
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_ANSWER = Duration.ofSeconds(5);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    private final SimpleConsumer consumer;
    private final DedupEngine engine;
    private final LoopSettings settings;
    private final OpenMessages open;
    private final Decisions decisions;
    private final ExecutorService handlers;
    private final ScheduledExecutorService timers;
    private final ScheduledExecutorService keeper; // apart, as the others may wait for the store
    private final Thread receiver;
    private final Batches succeeded;
    private final Batches turns;
    private final List<Thread> batching;
    private final BrokerOrders broker;
    private final Handling handling;
    private final MessageDeliveries deliveries;

    SimpleConsumerLoop(
            SimpleConsumer consumer,
            DedupEngine engine,
            ConsumerGroup group,
            Handling handling,
            MessageDeliveries deliveries,
            Patience patience,
            LoopSettings settings) {
        this.consumer = consumer;
        this.engine = engine;
        this.settings = settings;
        ThreadFactory threads = threads("dedup-rocketmq-" + LOOPS.incrementAndGet() + "-");
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                settings.concurrency(),
                settings.concurrency(),
                0,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                threads);
        pool.prestartAllCoreThreads(); // a thread that can't be started is noticed here
        this.handlers = pool;
        this.timers = Executors.newScheduledThreadPool(2, threads);
        this.keeper = Executors.newSingleThreadScheduledExecutor(threads);
        this.handling = handling;
        this.deliveries = deliveries;
        this.broker = new BrokerOrders(consumer);
        this.open = new OpenMessages(settings, broker, this::decide, this::submit, this::endThreads);
        this.decisions = new Decisions(engine, group, patience, open, timers, threads);
        this.succeeded = new Batches(new Finisher(engine, open::done)::finish, open::isOver);
        this.turns = new Batches(decisions::decide, open::isOver);
        this.receiver = threads.newThread(this::receive);
        this.batching = List.of(threads.newThread(succeeded), threads.newThread(turns));
    }

    private static ThreadFactory threads(String prefix) {
        AtomicInteger count = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, prefix + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    void start() {
        long tick = Math.max(1, settings.invisibleDuration().toMillis() / 12);
        var unused = keeper.scheduleWithFixedDelay(
                new Prolonging(open, broker, settings.invisibleDuration(), timers), tick, tick, TimeUnit.MILLISECONDS);
        batching.forEach(Thread::start);
        receiver.start();
    }

    private void receive() {
        Duration pause = FIRST_PAUSE;
        for (int room = open.awaitRoom(); room > 0; room = open.awaitRoom()) {
            try {
                receive(Math.min(room, settings.batchSize()));
                pause = FIRST_PAUSE;
            } catch (Throwable e) { // a loop whose thread has died would stand still without a word
                if (open.isStopping()) {
                    return;
                }
                log.warn(
                        "Group {} couldn't receive, and tries again in {} ms: {}",
                        consumer.getConsumerGroup(),
                        pause.toMillis(),
                        Printable.ofException(e));
                log.debug("Couldn't receive", e);
                open.awaitStop(pause);
                Duration longer = pause.multipliedBy(2);
                pause = longer.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : longer;
            }
        }
    }

    private void receive(int most) throws ClientException {
        List<OpenMessage> messages = new ArrayList<>();
        for (MessageView view : consumer.receive(most, settings.invisibleDuration())) {
            try {
                messages.add(new OpenMessage(view, deliveries.of(view)));
            } catch (RuntimeException | Error e) { // its neighbours aren't to suffer; it comes again by itself
                log.error("{} couldn't be looked at", MessageDeliveries.origin(view), e);
            }
        }
        if (!messages.isEmpty()) {
            decisions.decide(open.add(messages), messages);
        }
    }

    private void decide(OpenMessage message) {
        turns.add(message);
    }

    private void submit(OpenMessage message) {
        try {
            handlers.execute(() -> run(message));
        } catch (RejectedExecutionException e) {
            log.debug("the loop is over, and nothing is open any more", e);
        }
    }

    private void run(OpenMessage message) {
        if (!open.start(message)) {
            return; // given back meanwhile
        }
        Execution execution = Objects.requireNonNull(message.execution);
        try {
            if (execution.leaseLost()) { // while it waited for its turn: somebody may have run it
                execution.giveBack();
                if (open.undecided(message, false)) {
                    decisions.decide(List.of(message));
                } else {
                    open.giveBack(message, OpenMessages.AT_ONCE);
                }
                return;
            }
            if (execution.isTransactional()) {
                runInTransaction(message, execution);
                return;
            }
            switch (handling.run(message.view, execution)) {
                case SUCCEEDED -> succeeded.add(message);
                case FAILED -> open.failed(message);
                case LOST -> {
                    open.undecided(message, true);
                    decisions.decide(List.of(message));
                }
            }
        } catch (RuntimeException | Error e) { // or it would be kept invisible until it is overdue
            log.error("{} couldn't be finished", MessageDeliveries.origin(message.view), e);
            execution.fail(e);
            open.failed(message);
        }
    }

    /** Its commit marks it as done. It doesn't wait here for another transaction, but is asked about again. */
    private void runInTransaction(OpenMessage message, Execution execution) {
        Work work = handling.work(message.view);
        RunEnd end = engine.run(
                execution,
                begun -> {
                    open.begun(message);
                    return work.run(begun);
                },
                WaitBudget.none());
        if (end instanceof RunEnd.NotRun notRun) {
            decisions.notRun(message, notRun);
        } else if (end instanceof RunEnd.Handled) {
            open.done(message);
        } else {
            open.failed(message);
        }
    }

    private void endThreads() {
        handlers.shutdown();
        timers.shutdownNow();
        keeper.shutdownNow();
    }

    /** How many messages are between their receipt and the broker's last word about them. */
    public int openMessages() {
        return open.size();
    }

    /** How often the broker couldn't be told something, after which messages come again. */
    int failedOrders() {
        return broker.failed();
    }

    /**
     * Receives no more, gives back what no handler has begun, and waits for running handlers as long as the shutdown
     * timeout tells, whose messages are then marked as done and acked. A handler that runs longer goes on; what it has done
     * is marked, if the deduplicator is still open, and the broker will have its message acked as a duplicate.
     */
    @Override
    public void close() {
        open.stop();
        if (!open.awaitEnd(settings.shutdownTimeout())) {
            log.warn(
                    "{} handlers of group {} still run after {} ms; their messages come again, and are acked if they are"
                            + " done by then. Raise shutdownTimeout",
                    open.size(),
                    consumer.getConsumerGroup(),
                    settings.shutdownTimeout().toMillis());
        }
        broker.awaitAnswers(LONGEST_ANSWER);
    }
}
