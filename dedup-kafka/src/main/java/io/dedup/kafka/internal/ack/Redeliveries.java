package io.dedup.kafka.internal.ack;

import io.dedup.kafka.internal.Partitions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Records of one consumer whose work failed after their listener had returned. Each is fetched again when everything below it
 * in its partition is finished, and is a failure then, for the container's error handler: the offset that this one commits
 * when it gives up stands for all below. Until then nothing above it is committed.
 *
 * <p>Thread-safe: work fails on any thread.
 */
public final class Redeliveries {
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
     * @param closing by the one who calls this
     * @param failure null when it is to be tried again without an error handler's notice
     */
    public void failed(PendingDelivery closing, @Nullable Throwable failure) {
        pending.locked(() -> {
            closing.again(failure);
            pending.leaves(closing);
            return closing;
        });
        fetch();
    }

    /** Asks for those that nothing below holds back any more. */
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

    /** Those that were asked for and haven't come yet. A seek may fail, or be followed by another one, to behind them. */
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

    /** Asks for a partition's lowest unfinished record, whose run takes too long. Called by the consumer's thread. */
    void fetchOverdue(TopicPartition id) {
        fetchAgain.accept(id);
    }

    /** Where a partition is to be read from, instead of the consumer's position; asked when the seek is made. */
    public long position(TopicPartition id, long position) {
        return pending.locked(() -> {
            PendingPartition partition = pending.find(id);
            PendingDelivery lowest = partition == null ? null : partition.lowest();
            return lowest != null && lowest.mustComeAgain() ? Math.min(lowest.offset, position) : position;
        });
    }

    /** The record has come; with which failure, if any. */
    @Nullable
    public Throwable failureOf(ConsumerRecord<?, ?> record) {
        return pending.locked(() -> {
            PendingDelivery there = at(record);
            return there == null ? null : there.comesAgain();
        });
    }

    /** Whether something below this record is unfinished, so that an error handler mustn't commit its offset. */
    public boolean mustWait(ConsumerRecord<?, ?> record) {
        return pending.locked(() -> {
            PendingPartition partition = pending.find(Partitions.of(record));
            return partition != null && partition.unfinishedUpTo(record.offset() - 1);
        });
    }

    /** The error handler decides about this record now; nothing above it is committed meanwhile. */
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

    /** The error handler is done with it. */
    public void recovered(ConsumerRecord<?, ?> record) {
        PendingDelivery there = pending.locked(() -> at(record));
        if (there != null && there.isHandedOver()) {
            pending.recovered(there);
        }
        pending.request(null);
        fetch();
    }

    private @Nullable PendingDelivery at(ConsumerRecord<?, ?> record) {
        PendingPartition partition = pending.find(Partitions.of(record));
        return partition == null ? null : partition.at(record.offset());
    }
}
