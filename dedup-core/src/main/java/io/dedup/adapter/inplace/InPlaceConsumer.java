package io.dedup.adapter.inplace;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.adapter.Admission;
import io.dedup.adapter.ConsumerGroup;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.RunEnd;
import io.dedup.adapter.Work;
import java.util.function.Supplier;
import org.slf4j.Logger;

/**
 * Handles the messages of one consumer group on the client's own threads, and says how the client is to be answered. For
 * brokers whose consumers can do nothing better with a message that can't be decided now than to wait with it, see
 * {@link InPlaceRunner}. The claim is released, or the transaction rolled back, before the client is answered. Thread-safe.
 */
public final class InPlaceConsumer {
    /** How the client is to be answered. */
    public enum Answer {
        /** The effect has happened, now or before. */
        ACKNOWLEDGE,
        /** The effect hasn't happened: the broker has to redeliver the message. */
        REDELIVER,
        /** The effect hasn't happened, and retrying can't help: the message belongs in the dead-letter queue. */
        REJECT
    }

    private final ConsumerGroup group;
    private final Logger log;

    /** @param log is told of messages that fail without having been handled */
    public InPlaceConsumer(ConsumerGroup group, Logger log) {
        this.group = group;
        this.log = log;
    }

    /**
     * Handles a message: its listener runs under a claim or in a transaction, or not at all.
     *
     * @param call of the client, which this message is a part of
     * @param delivery made of the message; asked when the group may read the topic
     */
    public Answer handle(InPlaceRunner.Call call, String topic, Supplier<Delivery> delivery, Work listener) {
        if (!group.mayRead(topic)) {
            return Answer.REDELIVER;
        }
        Delivery message = delivery.get();
        RunEnd end = call.run(message, listener);
        if (end instanceof RunEnd.NotRun notRun) {
            return answer(message, notRun.admission());
        }
        return end instanceof RunEnd.Handled ? Answer.ACKNOWLEDGE : Answer.REDELIVER;
    }

    private Answer answer(Delivery message, Admission admission) {
        if (admission instanceof Admission.Reject reject) {
            log.warn("A delivery fails: {}", reject.cause().getMessage());
            return Answer.REJECT;
        }
        if (admission instanceof Admission.Defer defer) {
            log.warn(
                    "{} couldn't be decided in time ({}{}) and costs a delivery attempt",
                    message.origin().get(),
                    defer.reason(),
                    defer.reason() == DeferReason.CLOSED ? ": close consumers before their Deduplicator" : "");
            return Answer.REDELIVER;
        }
        return Answer.ACKNOWLEDGE;
    }
}
