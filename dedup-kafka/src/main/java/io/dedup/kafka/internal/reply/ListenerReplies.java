package io.dedup.kafka.internal.reply;

import io.dedup.DedupKey;
import io.dedup.adapter.Execution;
import io.dedup.kafka.internal.record.RecordDeliveries;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** The replies of one container's listener, if replies are stored. Thread-safe. */
public final class ListenerReplies {
    private final @Nullable Replies replies;
    private final RecordDeliveries deliveries;
    private final BooleanSupplier atOnce;

    /**
     * Creates the one of a container.
     *
     * @param replies null if none are stored
     * @param atOnce whether replies are sent as the handler returns, because they are part of the container's transaction
     */
    public ListenerReplies(@Nullable Replies replies, RecordDeliveries deliveries, BooleanSupplier atOnce) {
        this.replies = replies;
        this.deliveries = deliveries;
        this.atOnce = atOnce;
    }

    /** The exchange of a run whose result is stored; otherwise null. */
    public @Nullable ReplyExchange of(ConsumerRecord<?, ?> record, Execution execution) {
        return replies == null ? null : replies.of(deliveries.topic(record.topic()), execution, atOnce.getAsBoolean());
    }

    /**
     * The exchange of a duplicate request, which the listener answers without its handler.
     *
     * @param result of the handler's run; null if none was kept
     * @return null if there is no result for it
     */
    public @Nullable ReplyExchange of(ConsumerRecord<?, ?> record, byte @Nullable [] result) {
        DedupKey key =
                replies == null || result == null ? null : deliveries.of(record).key();
        return replies == null || result == null || key == null
                ? null
                : replies.of(deliveries.topic(record.topic()), key, result, atOnce.getAsBoolean());
    }
}
