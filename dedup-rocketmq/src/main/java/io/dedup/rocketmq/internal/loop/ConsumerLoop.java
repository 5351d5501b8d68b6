package io.dedup.rocketmq.internal.loop;

import io.dedup.adapter.ConsumerGroup;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.inplace.InPlaceRunner;
import io.dedup.rocketmq.internal.ack.Acknowledgments;
import io.dedup.rocketmq.internal.ack.Completions;
import io.dedup.rocketmq.internal.ack.RetryDelay;
import io.dedup.rocketmq.internal.broker.BrokerRequests;
import io.dedup.rocketmq.internal.claim.MessageClaims;
import io.dedup.rocketmq.internal.claim.StoreProbe;
import io.dedup.rocketmq.internal.listener.ListenerInvoker;
import io.dedup.rocketmq.internal.listener.MessageDeliveries;
import io.dedup.rocketmq.internal.open.OpenMessage;
import io.dedup.rocketmq.internal.open.OpenMessages;
import io.dedup.rocketmq.internal.renewal.InvisibleTimeRenewal;
import io.dedup.rocketmq.internal.thread.BatchQueue;
import io.dedup.rocketmq.internal.thread.LoopThreads;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.apache.rocketmq.client.apis.consumer.SimpleConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Assembles, starts and stops a loop. Thread-safe. */
public final class ConsumerLoop {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.rocketmq.SimpleConsumerLoop");
    private static final Duration LONGEST_ANSWER = Duration.ofSeconds(5);

    private final SimpleConsumer consumer;
    private final LoopSettings settings;
    private final LoopThreads threads;
    private final OpenMessages open;
    private final BrokerRequests broker;
    private final Acknowledgments acknowledgments;
    private final HandlerRuns runs;
    private final InvisibleTimeRenewal renewal;
    private final StoreProbe probe;
    private final List<Thread> workers;

    private ConsumerLoop(
            SimpleConsumer consumer,
            DedupAdapter engine,
            ConsumerGroup group,
            ListenerInvoker listener,
            MessageDeliveries deliveries,
            InPlaceRunner waits,
            LoopSettings settings) {
        this.consumer = consumer;
        this.settings = settings;
        this.threads = new LoopThreads(settings.concurrency());
        this.open = new OpenMessages(settings.capacity(), settings.concurrency());
        this.broker = new BrokerRequests(consumer);
        BatchQueue<OpenMessage> turns = new BatchQueue<>();
        BatchQueue<OpenMessage> succeeded = new BatchQueue<>();
        this.acknowledgments = new Acknowledgments(
                open,
                broker,
                new RetryDelay(settings.retryDelay()),
                settings.invisibleDuration(),
                turns::add,
                threads::end);
        MessageClaims claims =
                new MessageClaims(engine, group, waits, open, acknowledgments, threads, this::handle, this::handleHere);
        Completions completions = new Completions(engine, acknowledgments);
        Consumer<OpenMessage> completing =
                settings.completeTogether() ? succeeded::add : message -> completions.complete(List.of(message));
        this.runs = new HandlerRuns(engine, listener, open, acknowledgments, claims, completing);
        this.renewal = new InvisibleTimeRenewal(open, acknowledgments, broker, threads, settings.invisibleDuration());
        this.probe = new StoreProbe(engine, open, threads);
        this.workers = List.of(
                threads.newThread(() -> succeeded.drain(completions::complete, open::isOver)),
                threads.newThread(() -> turns.drain(claims::claim, open::isOver)),
                threads.newThread(new Receiver(consumer, settings, deliveries, open, acknowledgments, claims)));
    }

    /**
     * Creates and starts a loop.
     *
     * @throws IllegalStateException when another group reads one of the consumer's topics under the same consumer name
     */
    public static ConsumerLoop start(
            SimpleConsumer consumer,
            DedupAdapter engine,
            ConsumerGroup group,
            ListenerInvoker listener,
            MessageDeliveries deliveries,
            InPlaceRunner waits,
            LoopSettings settings) {
        consumer.getSubscriptionExpressions().keySet().forEach(group::require);
        ConsumerLoop loop = new ConsumerLoop(consumer, engine, group, listener, deliveries, waits, settings);
        loop.renewal.start();
        loop.probe.start();
        loop.workers.forEach(Thread::start);
        return loop;
    }

    private void handle(OpenMessage message) {
        threads.handle(() -> runs.run(message));
    }

    private void handleHere(OpenMessage message) {
        runs.run(message);
    }

    /** The number of messages that were received and that aren't acknowledged or returned yet. */
    public int openMessages() {
        return open.size();
    }

    /** How many requests to the broker have failed; after each, the broker redelivers the message. */
    public int failedRequests() {
        return broker.failed();
    }

    /**
     * Stops receiving, returns messages whose handlers haven't started, and waits for running handlers and for the
     * broker. Messages are returned when the last receive has ended.
     */
    public void close() {
        long begun = System.nanoTime();
        acknowledgments.stop();
        if (!open.awaitNoneOpen(settings.shutdownTimeout())) {
            log.warn(
                    "{} handlers of consumer group {} are still running after the shutdownTimeout of {} ms. The broker"
                            + " redelivers their messages; those that are done by then are acknowledged. To wait"
                            + " longer, raise shutdownTimeout of the SimpleConsumerLoop",
                    open.size(),
                    consumer.getConsumerGroup(),
                    settings.shutdownTimeout().toMillis());
        }
        Duration left = settings.shutdownTimeout().minusNanos(System.nanoTime() - begun);
        broker.awaitAnswers(left.compareTo(LONGEST_ANSWER) > 0 ? left : LONGEST_ANSWER);
    }
}
