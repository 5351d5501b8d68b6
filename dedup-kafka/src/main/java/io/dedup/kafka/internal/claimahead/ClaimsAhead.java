package io.dedup.kafka.internal.claimahead;

import io.dedup.adapter.DedupAdapter;
import io.dedup.kafka.internal.PollBudget;
import io.dedup.kafka.internal.Timer;
import io.dedup.kafka.internal.record.RecordDeliveries;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Creates the {@link ClaimedPoll} of each consumer, and owns the threads that they share. Thread-safe. */
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

    /** For a consumer whose records aren't claimed ahead and whose successes aren't queued. */
    public ClaimedPoll none() {
        return new ClaimedPoll(engine, deliveries, null, null);
    }

    /**
     * For a consumer whose polls and commits can be watched.
     *
     * @param queued whether the consumer commits after its polls; if false, the handler's acknowledgment commits each
     *     record, and its success must be recorded before
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
