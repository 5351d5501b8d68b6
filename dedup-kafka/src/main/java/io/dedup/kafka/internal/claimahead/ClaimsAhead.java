package io.dedup.kafka.internal.claimahead;

import io.dedup.adapter.DedupAdapter;
import io.dedup.kafka.internal.PollBudget;
import io.dedup.kafka.internal.Timer;
import io.dedup.kafka.internal.record.RecordDeliveries;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Makes what claims ahead, and the threads that it works with: one for all consumers. Thread-safe. */
public final class ClaimsAhead implements AutoCloseable {
    private final DedupAdapter engine;
    private final RecordDeliveries deliveries;
    private final Timer timer;
    private final ExecutorService background = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work, "dedup-kafka-store");
        thread.setDaemon(true);
        return thread;
    });

    public ClaimsAhead(DedupAdapter engine, RecordDeliveries deliveries, Timer timer) {
        this.engine = engine;
        this.deliveries = deliveries;
        this.timer = timer;
    }

    /** For a consumer of which nothing is claimed ahead, and no success queued. */
    public ClaimedPoll none() {
        return new ClaimedPoll(engine, deliveries, null, null);
    }

    /**
     * For a consumer whose polls and commits can be watched.
     *
     * @param queued whether the consumer commits after its polls; else the handler's word commits each record, whose success has
     *     to be durable before
     */
    public ClaimedPoll of(boolean queued, Duration maxPollInterval) {
        QueuedCompletions completions = queued
                ? new QueuedCompletions(engine, background, timer, new PollBudget(maxPollInterval.dividedBy(2)))
                : null;
        return new ClaimedPoll(engine, deliveries, completions, new WaitingClaims(engine, timer));
    }

    @Override
    public void close() {
        background.shutdown();
    }
}
