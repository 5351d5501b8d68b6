package io.dedup.kafka.internal.ack;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.adapter.Admission;
import io.dedup.kafka.internal.KafkaLog;
import io.dedup.kafka.internal.Partitions;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits how many records of a partition are delivered from its first unfinished record on. None of them can be
 * committed before that record is finished, which may never happen: a future that doesn't complete, an acknowledgment
 * that is never sent. At the limit the partition is held until the first record is finished. If that record is overdue,
 * so that its claim is no longer renewed, it is fetched and claimed again.
 *
 * <p>Used by the consumer's thread.
 */
public final class UnfinishedLimit {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);
    private static final long WARN_AGAIN_NANOS = TimeUnit.MINUTES.toNanos(1);

    private record Full(TopicPartition partition, long size, long lowest, boolean overdue) {}

    private final int limit;
    private final PendingDeliveries pending;
    private final Redeliveries redeliveries;
    private final Map<TopicPartition, Long> warnedAt = new HashMap<>();

    public UnfinishedLimit(int limit, PendingDeliveries pending, Redeliveries redeliveries) {
        this.limit = limit;
        this.pending = pending;
        this.redeliveries = redeliveries;
    }

    /** The deferral of a record beyond the limit. */
    public static Admission.Defer deferral(Duration delay) {
        return new Admission.Defer(DeferReason.IN_FLIGHT, delay, false, true, null);
    }

    /** Whether this record must wait until something below it is finished. */
    public boolean isReached(ConsumerRecord<?, ?> record) {
        Full full = pending.hasHadAny() ? pending.locked(() -> full(record)) : null;
        if (full == null) {
            return false;
        }
        warn(full);
        if (full.overdue()) {
            redeliveries.fetchOverdue(full.partition());
        }
        return true;
    }

    private @Nullable Full full(ConsumerRecord<?, ?> record) {
        PendingPartition partition = pending.find(Partitions.of(record));
        if (partition == null || partition.size() < limit || !partition.isNew(record.offset())) {
            return null;
        }
        PendingDelivery lowest = partition.lowest();
        return lowest == null ? null : new Full(partition.id(), partition.size(), lowest.offset, lowest.isOverdue());
    }

    private void warn(Full full) {
        long now = System.nanoTime();
        Long before = warnedAt.get(full.partition());
        if (before != null && now - before < WARN_AGAIN_NANOS) {
            return;
        }
        warnedAt.put(full.partition(), now);
        log.warn(
                "Partition {} is held: its record at offset {} isn't finished (its future hasn't completed, or it"
                        + " hasn't been acknowledged), and {} records from there on have been delivered, none of which"
                        + " can be committed. {}. The limit is {} (YAML: dedup.kafka.max-unfinished-per-partition;"
                        + " Java: KafkaDedup.builder(...).maxUnfinishedPerPartition)",
                full.partition(),
                full.lowest(),
                full.size(),
                full.overdue()
                        ? "It has run for longer than max-processing-time and its lease has expired, so it is delivered"
                                + " again"
                        : "The partition continues when that record is finished; if it runs for longer than"
                                + " max-processing-time and its lease expires, it is delivered again",
                limit);
    }
}
