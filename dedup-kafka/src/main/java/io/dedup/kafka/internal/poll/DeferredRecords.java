package io.dedup.kafka.internal.poll;

import io.dedup.kafka.exception.DeliveryDeferredException;
import io.dedup.kafka.internal.KafkaLog;
import io.dedup.kafka.internal.Partitions;
import io.dedup.kafka.internal.spring.PollResults;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last deferred record of each partition of a consumer, and whether a deferral's exception is on its way from the
 * listener to the error handler. Used by the consumer's thread.
 */
public final class DeferredRecords {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);

    private final Map<TopicPartition, Long> offsets = new HashMap<>();
    private @Nullable DeliveryDeferredException onItsWay;

    /** Notes a deferral that is about to be thrown, and returns it. */
    public DeliveryDeferredException throwing(DeliveryDeferredException deferral, ConsumerRecord<?, ?> record) {
        offsets.put(Partitions.of(record), record.offset());
        onItsWay = deferral;
        return deferral;
    }

    /** Whether a deferral was thrown and hasn't reached the error handler, which makes the container seek. */
    public boolean isOnItsWay() {
        return onItsWay != null;
    }

    /** The error handler has the deferral, or the listener is called again. */
    public void arrived() {
        onItsWay = null;
    }

    /** Whether this record is its partition's last deferred one. */
    public boolean contains(ConsumerRecord<?, ?> record) {
        Long offset = offsets.isEmpty() ? null : offsets.get(Partitions.of(record));
        return offset != null && offset == record.offset();
    }

    /**
     * Moves partitions that begin with a record that was deferred before to the end of a poll. Such a record may be
     * deferred again, and the container then drops the records behind it and fetches them again. With several such
     * partitions, each poll could begin with one, and the others would never have their turn. The order within a
     * partition is kept.
     *
     * <p>Never throws: the consumer's position is past these records, and they would be lost.
     */
    <K, V> ConsumerRecords<K, V> last(ConsumerRecords<K, V> polled) {
        try {
            return offsets.isEmpty() ? polled : ordered(polled);
        } catch (Throwable e) {
            log.debug("Cannot move deferred partitions to the end of a poll", e);
            return polled;
        }
    }

    private <K, V> ConsumerRecords<K, V> ordered(ConsumerRecords<K, V> polled) {
        Map<TopicPartition, List<ConsumerRecord<K, V>>> first = new LinkedHashMap<>();
        Map<TopicPartition, List<ConsumerRecord<K, V>>> last = new LinkedHashMap<>();
        for (TopicPartition partition : polled.partitions()) {
            List<ConsumerRecord<K, V>> records = polled.records(partition);
            boolean deferred = !records.isEmpty() && contains(records.get(0));
            (deferred ? last : first).put(partition, records);
        }
        if (last.isEmpty() || first.isEmpty()) {
            return polled;
        }
        first.putAll(last);
        return PollResults.of(first, polled);
    }

    /** These partitions, or all if null, belong to another consumer now. */
    void forget(@Nullable Collection<TopicPartition> partitions) {
        if (partitions == null) {
            offsets.clear();
        } else {
            offsets.keySet().removeAll(partitions);
        }
    }
}
