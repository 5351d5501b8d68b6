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

    /** For a duplicate request, which the listener answers without its handler; null when nothing was kept that it could answer with. */
    public @Nullable ReplyExchange of(ConsumerRecord<?, ?> record, AlreadyDone done) {
        DedupKey key = replies == null ? null : deliveries.of(record).key();
        return replies == null || key == null
                ? null
                : replies.of(deliveries.topic(record.topic()), key, done, atOnce.getAsBoolean());
    }
}
