package io.dedup.kafka.internal.poll;

import io.dedup.kafka.exception.DeliveryDeferredException;
import io.dedup.kafka.internal.Partitions;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The record of each partition that a consumer has deferred last, and whether the exception that defers one is on its way from
 * the listener to the error handler. Used by the consumer's thread.
 */
public final class DeferredRecords {
    private final Map<TopicPartition, Long> offsets = new HashMap<>();
    private @Nullable DeliveryDeferredException onItsWay;

    /** This deferral of a record is about to be thrown; returns it. */
    public DeliveryDeferredException throwing(DeliveryDeferredException deferral, ConsumerRecord<?, ?> record) {
        offsets.put(Partitions.of(record), record.offset());
        onItsWay = deferral;
        return deferral;
    }

    /** Whether a deferral was thrown and hasn't been handled: the error handler tells the container to seek. */
    public boolean isOnItsWay() {
        return onItsWay != null;
    }

    /** The error handler has the deferral, or the listener is called again. */
    public void arrived() {
        onItsWay = null;
    }

    /** Whether this record is the one that was deferred last in its partition. */
    public boolean contains(ConsumerRecord<?, ?> record) {
        Long offset = offsets.get(Partitions.of(record));
        return offset != null && offset == record.offset();
    }

    /** These partitions, or all with null, belong to another consumer now. */
    void forget(@Nullable Collection<TopicPartition> partitions) {
        if (partitions == null) {
            offsets.clear();
        } else {
            offsets.keySet().removeAll(partitions);
        }
    }
}
