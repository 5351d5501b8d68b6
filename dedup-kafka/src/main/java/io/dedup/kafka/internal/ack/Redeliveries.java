package io.dedup.kafka.internal.ack;

import io.dedup.kafka.internal.KafkaLog;
import io.dedup.kafka.internal.Partitions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The records of one consumer whose work failed after their listener had returned. Each is fetched again when
 * everything below it in its partition is finished. Only then is it reported to the container's error handler as a
 * failure, because the offset that the error handler commits when it gives up covers all records below. Until then
 * nothing above it is committed.
 *
 * <p>Thread-safe: work may fail on any thread.
 */
public final class Redeliveries {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);

    private final PendingDeliveries pending;
    private final Consumer<TopicPartition> fetchAgain;

    /** @param fetchAgain asks the consumer to seek to {@link #position} */
    public Redeliveries(PendingDeliveries pending, Consumer<TopicPartition> fetchAgain) {
        this.pending = pending;
        this.fetchAgain = fetchAgain;
    }

    /**
     * This record's work failed.
     *
     * @param closing closed by the caller before
     * @param failure null to retry without calling an error handler
     */
    public void failed(PendingDelivery closing, @Nullable Throwable failure) {
        pending.locked(() -> {
            closing.again(failure);
            pending.leaves(closing);
            return closing;
        });
        fetch();
    }

    /** Requests the seek to those failed records that nothing below holds back any more. */
    public void fetch() {
        List<TopicPartition> due = pending.locked(() -> {
            List<TopicPartition> partitions = new ArrayList<>(0);
            for (PendingPartition partition : pending.all()) {
                PendingDelivery lowest = partition.lowest();
                if (lowest != null && lowest.seek()) {
                    partitions.add(partition.id());
                }
            }
            return partitions;
        });
        due.forEach(fetchAgain);
    }

    /**
     * The failed records whose seek was requested and that haven't been redelivered. A seek may fail, or a later seek
     * may skip them.
     */
    public Map<TopicPartition, Long> awaited() {
        return pending.locked(() -> {
            Map<TopicPartition, Long> awaited = new HashMap<>(0);
            for (PendingPartition partition : pending.all()) {
                PendingDelivery lowest = partition.lowest();
                if (lowest != null && lowest.isAwaited()) {
                    awaited.put(partition.id(), lowest.offset);
                }
            }
            return awaited;
        });
    }

    /**
     * Retention has deleted what is below this offset: the failed records there cannot be fetched again, and no longer hold
     * back what is above them.
     */
    public void deletedBelow(TopicPartition id, long logStart) {
        List<PendingDelivery> deleted = pending.locked(() -> {
            PendingPartition partition = pending.find(id);
            return partition == null ? List.of() : partition.failedBelow(logStart);
        });
        if (deleted.isEmpty()) {
            return;
        }
        log.error(
                "The log of partition {} begins at offset {} now: {} records that have failed, from offset {} on, were"
                        + " deleted before they could be handled again",
                id,
                logStart,
                deleted.size(),
                deleted.get(0).offset);
        deleted.forEach(pending::recovered);
        pending.request(null);
        fetch();
    }

    /**
     * Requests the seek to a partition's lowest unfinished record, which is overdue. Called by the consumer's thread.
     */
    void fetchOverdue(TopicPartition id) {
        fetchAgain.accept(id);
    }

    /** Returns the offset to read a partition from, given the consumer's position. Called when the seek is executed. */
    public long position(TopicPartition id, long position) {
        return pending.locked(() -> {
            PendingPartition partition = pending.find(id);
            PendingDelivery lowest = partition == null ? null : partition.lowest();
            return lowest != null && lowest.mustBeRedelivered() ? Math.min(lowest.offset, position) : position;
        });
    }

    /** The record was redelivered. Returns the failure of its work, if there is one to report. */
    @Nullable
    public Throwable failureOf(ConsumerRecord<?, ?> record) {
        return pending.locked(() -> {
            PendingDelivery there = at(record);
            return there == null ? null : there.redeliveryCause();
        });
    }

    /** Whether a record below this one is unfinished, so that an error handler must not commit this record's offset. */
    public boolean mustWait(ConsumerRecord<?, ?> record) {
        return pending.locked(() -> {
            PendingPartition partition = pending.find(Partitions.of(record));
            return partition != null && partition.unfinishedUpTo(record.offset() - 1);
        });
    }

    /** The error handler decides about this record now. Meanwhile nothing above it is committed. */
    public void handedOver(ConsumerRecord<?, ?> record) {
        pending.locked(() -> {
            PendingDelivery there = at(record);
            if (there == null) {
                there = pending.partition(record)
                        .putIfAbsent(PendingDelivery.handedOver(pending.partition(record), record));
            }
            there.handOver();
            return there;
        });
    }

    /** The error handler has recovered this record. */
    public void recovered(ConsumerRecord<?, ?> record) {
        PendingDelivery there = pending.locked(() -> at(record));
        if (there != null && there.isHandedOver()) {
            pending.recovered(there);
        }
        pending.request(null);
        fetch();
    }

    /** The error handler has thrown: the record is redelivered, unless it is deleted before. */
    public void retried(ConsumerRecord<?, ?> record) {
        pending.locked(() -> {
            PendingDelivery there = at(record);
            if (there != null) {
                there.retry();
            }
            return record;
        });
    }

    private @Nullable PendingDelivery at(ConsumerRecord<?, ?> record) {
        PendingPartition partition = pending.find(Partitions.of(record));
        return partition == null ? null : partition.at(record.offset());
    }
}
