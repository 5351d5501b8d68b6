package io.dedup.rocketmq.internal.renewal;

import io.dedup.rocketmq.internal.ack.Acknowledgments;
import io.dedup.rocketmq.internal.broker.BrokerRequests;
import io.dedup.rocketmq.internal.broker.InvisibleTime;
import io.dedup.rocketmq.internal.open.OpenMessage;
import io.dedup.rocketmq.internal.open.OpenMessages;
import io.dedup.rocketmq.internal.thread.LoopThreads;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the broker from redelivering a loop's open messages while their handlers may run: renews their invisible times
 * at a third of their length. Returns the messages that overdue handlers hold up.
 */
public final class InvisibleTimeRenewal implements Runnable {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.rocketmq.SimpleConsumerLoop");

    private final OpenMessages open;
    private final Acknowledgments acknowledgments;
    private final BrokerRequests broker;
    private final LoopThreads threads;
    private final Duration invisible;

    public InvisibleTimeRenewal(
            OpenMessages open,
            Acknowledgments acknowledgments,
            BrokerRequests broker,
            LoopThreads threads,
            Duration invisible) {
        this.open = open;
        this.acknowledgments = acknowledgments;
        this.broker = broker;
        this.threads = threads;
        this.invisible = invisible;
    }

    /** Starts renewing on these threads, until they end. */
    public void start() {
        threads.renewEvery(Duration.ofMillis(Math.max(1, invisible.toMillis() / 12)), this);
    }

    @Override
    public void run() {
        try {
            long now = System.nanoTime();
            open.heldUpByOverdue(now).forEach(acknowledgments::giveBackAtOnce);
            open.dueForRenewal(now, invisible.dividedBy(3)).forEach(message -> renew(message, now));
        } catch (RuntimeException | Error e) { // otherwise it would never be called again
            log.error(
                    "Cannot renew the invisible time of received messages; retrying. The broker may redeliver them to"
                            + " other consumers meanwhile",
                    e);
        }
    }

    private void renew(OpenMessage message, long now) {
        InvisibleTime time = message.received().invisibleTime();
        time.requested(now);
        CompletableFuture<Void> unused = broker.renewInvisibleTime(message.received(), invisible, message::isClosed)
                .thenAccept(answer -> {
                    switch (answer) {
                        case GRANTED -> {}
                        case FAILED -> time.failed(now, invisible);
                        case REFUSED -> {
                            time.lost();
                            // The client's own threads must not wait for the store.
                            threads.later(() -> acknowledgments.giveBackAtOnce(message), Duration.ZERO);
                        }
                    }
                });
    }
}
