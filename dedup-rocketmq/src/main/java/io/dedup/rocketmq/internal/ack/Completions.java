package io.dedup.rocketmq.internal.ack;

import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.WaitBudget;
import io.dedup.rocketmq.internal.open.OpenMessage;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Completes the claims of messages whose handlers have succeeded, all of a batch with one call of the store, and acknowledges
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

    /** The effects of these messages have happened, which is why they are acknowledged whatever the store answers. */
    public void complete(List<OpenMessage> batch) {
        try {
            engine.succeedAll(batch.stream().map(OpenMessage::execution).toList(), WaitBudget.of(LONGEST_WAIT));
        } catch (RuntimeException | Error e) {
            log.error("Messages couldn't be marked as done", e);
        }
        for (OpenMessage message : batch) {
            try {
                acknowledgments.acknowledge(message);
            } catch (RuntimeException | Error e) { // the others are to be acknowledged all the same
                log.error("{} couldn't be acknowledged", message.origin(), e);
            }
        }
    }
}
