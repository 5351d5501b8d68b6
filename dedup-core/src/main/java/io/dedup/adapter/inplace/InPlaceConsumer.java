package io.dedup.adapter.inplace;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.adapter.Admission;
import io.dedup.adapter.ConsumerGroup;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.RunEnd;
import io.dedup.adapter.Work;
import io.dedup.store.ClaimResult.AlreadyDone;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;

/**
 * Handles the messages of one consumer group on the client's own threads, and returns how to answer the client. For
 * brokers whose consumers can only wait with a message that cannot be decided yet; see {@link InPlaceRunner}. The claim
 * is released, or the transaction rolled back, before the client is answered. Thread-safe.
 */
public final class InPlaceConsumer {
    /** The answer to the client. */
    public enum Answer {
        /** The effect has happened, now or earlier. */
        ACKNOWLEDGE,
        /** The effect has not happened: the broker must redeliver the message. */
        REDELIVER,
        /**
         * It could not be decided in time whether the message may run. The broker must redeliver it, without counting a
         * delivery attempt if that can be avoided: the handler has not failed.
         */
        DEFER,
        /** The effect has not happened, and retrying cannot help: the message belongs in the dead-letter queue. */
        REJECT
    }

    private final ConsumerGroup group;
    private final Logger log;

    /**
     * Creates a consumer.
     *
     * @param log receives a warning for each message that fails without having been handled
     */
    public InPlaceConsumer(ConsumerGroup group, Logger log) {
        this.group = group;
        this.log = log;
    }

    /**
     * Handles a message: its listener runs under a claim or in a transaction, or not at all.
     *
     * @param call the client's call that this message is part of
     * @param delivery creates the delivery; only called if the group may read the topic
     */
    public Answer handle(InPlaceRunner.Call call, String topic, Supplier<Delivery> delivery, Work listener) {
        return handle(call, topic, delivery, listener, done -> {});
    }

    /**
     * As {@link #handle(InPlaceRunner.Call, String, Supplier, Work)}, for listeners whose results are stored.
     *
     * @param duplicate receives the record of a duplicate, with the result that is stored in it
     */
    public Answer handle(
            InPlaceRunner.Call call,
            String topic,
            Supplier<Delivery> delivery,
            Work listener,
            Consumer<AlreadyDone> duplicate) {
        if (!group.mayRead(topic)) {
            return Answer.REDELIVER;
        }
        Delivery message = delivery.get();
        RunEnd end = call.run(message, listener);
        if (end instanceof RunEnd.NotHandled notHandled) {
            if (notHandled.admission() instanceof Admission.Duplicate found) {
                duplicate.accept(found.done());
            }
            return answer(message, notHandled.admission());
        }
        return end instanceof RunEnd.Handled ? Answer.ACKNOWLEDGE : Answer.REDELIVER;
    }

    private Answer answer(Delivery message, Admission admission) {
        if (admission instanceof Admission.Reject reject) {
            log.warn("{}", reject.cause().getMessage());
            return Answer.REJECT;
        }
        if (admission instanceof Admission.Defer defer) {
            log.warn(
                    "Message in {} could not be handled in time ({}{}). It will be redelivered, which counts a delivery attempt"
                            + " unless its listener is an orderly one of the older RocketMQ client",
                    message.origin().get(),
                    defer.reason(),
                    defer.reason() == DeferReason.CLOSED ? ": close consumers before their Deduplicator" : "");
            return Answer.DEFER;
        }
        return Answer.ACKNOWLEDGE;
    }
}
