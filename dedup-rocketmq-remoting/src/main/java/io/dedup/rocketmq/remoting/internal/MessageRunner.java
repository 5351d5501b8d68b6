package io.dedup.rocketmq.remoting.internal;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.adapter.Admission;
import io.dedup.adapter.ConsumerGroup;
import io.dedup.adapter.InPlaceRunner;
import io.dedup.adapter.RunEnd;
import io.dedup.text.Printable;
import org.apache.rocketmq.common.message.MessageExt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles one message: runs its handler under a claim or in a transaction, or not at all. The claim is released, and the
 * transaction rolled back, before the client hears of a failure. Thread-safe.
 */
public final class MessageRunner {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.rocketmq.remoting.RemotingDedup");

    /** What the client is to be told. */
    enum End {
        /** The effect has happened, now or before. */
        DONE,
        /** It hasn't: the message must come again. */
        AGAIN,
        /** It hasn't, and never will: the message belongs in the dead-letter queue. */
        HOPELESS
    }

    /** The user's listener with one message. */
    @FunctionalInterface
    interface Handler {
        /** @throws Exception when the effect hasn't happened */
        void run() throws Exception;
    }

    private final ConsumerGroup group;
    private final MessageDeliveries deliveries;

    public MessageRunner(ConsumerGroup group, MessageDeliveries deliveries) {
        this.group = group;
        this.deliveries = deliveries;
    }

    End handle(MessageExt message, InPlaceRunner.Call patience, Handler handler) {
        if (!group.mayRead(message.getTopic())) {
            return End.AGAIN;
        }
        RunEnd end = patience.run(deliveries.of(message), execution -> {
            try {
                handler.run();
            } catch (Throwable e) {
                note(message, e);
                throw e;
            }
            return null;
        });
        if (end instanceof RunEnd.NotRun notRun) {
            return answer(message, notRun.admission());
        }
        return end instanceof RunEnd.Handled ? End.DONE : End.AGAIN;
    }

    private static End answer(MessageExt message, Admission admission) {
        String origin = MessageDeliveries.origin(message);
        if (admission instanceof Admission.Reject reject) {
            log.warn("Failing {}: {}", origin, reject.cause().getMessage());
            return End.HOPELESS;
        }
        if (admission instanceof Admission.Defer defer) {
            log.warn(
                    "{} couldn't be decided in time ({}{}) and costs an attempt",
                    origin,
                    defer.reason(),
                    defer.reason() == DeferReason.CLOSED ? ": shut consumers down before their Deduplicator" : "");
            return End.AGAIN;
        }
        return End.DONE;
    }

    private static void note(MessageExt message, Throwable e) {
        if (e instanceof ReportedFailureException) {
            return; // its own doing
        }
        String origin = MessageDeliveries.origin(message);
        log.warn("The listener failed for {}: {}", origin, Printable.ofException(e)); // may quote the payload
        log.debug("The listener failed for {}", origin, e);
    }
}
