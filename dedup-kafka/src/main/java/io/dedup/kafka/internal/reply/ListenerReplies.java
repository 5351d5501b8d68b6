package io.dedup.kafka.internal.reply;

import io.dedup.DedupKey;
import io.dedup.adapter.Execution;
import io.dedup.kafka.internal.record.RecordDeliveries;
import io.dedup.store.ClaimResult.AlreadyDone;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** The replies of one container's listener, if any are kept. Thread-safe. */
public final class ListenerReplies {
    private final @Nullable Replies replies;
    private final RecordDeliveries deliveries;
    private final BooleanSupplier atOnce;

    /**
     * Of one container.
     *
     * @param replies null where none are kept
     * @param atOnce whether replies are sent as the handler returns, because they are part of the container's transaction
     */
    public ListenerReplies(@Nullable Replies replies, RecordDeliveries deliveries, BooleanSupplier atOnce) {
        this.replies = replies;
        this.deliveries = deliveries;
        this.atOnce = atOnce;
    }

    /** For a run whose result is kept; else null. */
    public @Nullable ReplyExchange of(ConsumerRecord<?, ?> record, Execution execution) {
        return replies == null ? null : replies.of(deliveries.topic(record.topic()), execution, atOnce.getAsBoolean());
    }

    /** Answers a duplicate request, if it can be, with the listener but without its handler; false if it can't. */
    public boolean answer(ConsumerRecord<?, ?> record, AlreadyDone done, Runnable listener) {
        DedupKey key = replies == null ? null : deliveries.of(record).key();
        ReplyExchange reply = replies == null || key == null
                ? null
                : replies.of(deliveries.topic(record.topic()), key, done, atOnce.getAsBoolean());
        if (reply == null) {
            return false;
        }
        call(reply, record, listener);
        reply.deliver(record);
        return true;
    }

    /** Calls the listener with a record. */
    public void call(@Nullable ReplyExchange reply, ConsumerRecord<?, ?> record, Runnable listener) {
        if (replies == null) {
            listener.run();
        } else {
            replies.call(reply, record, listener);
        }
    }
}
