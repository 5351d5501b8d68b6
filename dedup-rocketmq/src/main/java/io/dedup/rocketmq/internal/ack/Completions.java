package io.dedup.rocketmq.internal.ack;

import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.WaitBudget;
import io.dedup.rocketmq.internal.open.OpenMessage;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Completes the claims of messages whose handlers have succeeded, a batch with one call to the store, and acknowledges
 * the messages. Thread-safe.
 */
public final class Completions {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.rocketmq.SimpleConsumerLoop");
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(1); // leases bound it as well

    private final DedupAdapter engine;
    private final Acknowledgments acknowledgments;

    public Completions(DedupAdapter engine, Acknowledgments acknowledgments) {
        this.engine = engine;
        this.acknowledgments = acknowledgments;
    }

    /** The effects of these messages have happened, so they are acknowledged whatever the store answers. */
    public void complete(List<OpenMessage> batch) {
        try {
            engine.succeedAll(batch.stream().map(OpenMessage::execution).toList(), WaitBudget.of(LONGEST_WAIT));
        } catch (RuntimeException | Error e) {
            log.error(
                    "Cannot record {} handled messages as done; they are acknowledged, and copies of them may be"
                            + " handled again",
                    batch.size(),
                    e);
        }
        for (OpenMessage message : batch) {
            try {
                acknowledgments.acknowledge(message);
            } catch (RuntimeException | Error e) { // the others must still be acknowledged
                log.error(
                        "Cannot acknowledge the message in {}; the broker redelivers it, and it is acknowledged then"
                                + " as a duplicate",
                        message.origin(),
                        e);
            }
        }
    }
}
