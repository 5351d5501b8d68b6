package io.dedup.kafka.internal.container;

import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.poll.ClaimedPoll;
import io.dedup.adapter.poll.PollBudget;
import io.dedup.adapter.poll.PollTimer;
import io.dedup.adapter.poll.SuccessQueue;
import io.dedup.adapter.poll.WaitingClaims;
import io.dedup.kafka.internal.KafkaLog;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates the {@link ClaimedPoll} of each consumer, and owns the threads that they share. Thread-safe. */
final class ClaimedPolls implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);

    private final DedupAdapter engine;
    private final PollTimer timer;
    private final ExecutorService background = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work, "dedup-kafka-store");
        thread.setDaemon(true);
        return thread;
    });

    ClaimedPolls(DedupAdapter engine, PollTimer timer) {
        this.engine = engine;
        this.timer = timer;
    }

    /** For a consumer whose records aren't claimed ahead and whose successes aren't queued. */
    ClaimedPoll none() {
        return new ClaimedPoll(engine, null, null, log);
    }

    /**
     * For a consumer whose polls and commits can be watched.
     *
     * @param queued whether the consumer commits after its polls; if false, the handler's acknowledgment commits each
     *     record, and its success must be recorded before
     */
    ClaimedPoll of(boolean queued, Duration maxPollInterval) {
        return new ClaimedPoll(
                engine, queued ? queue(maxPollInterval) : null, new WaitingClaims(engine, timer, log), log);
    }

    private SuccessQueue queue(Duration maxPollInterval) {
        return new SuccessQueue(engine, background, timer, new PollBudget(maxPollInterval.dividedBy(2)), log);
    }

    @Override
    public void close() {
        background.shutdown();
    }
}
