package io.dedup.kafka.clients.internal.position;

import io.dedup.kafka.id.KafkaDeliveries;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The offsets of handled records, until they are committed. Before each commit the successes up to these offsets are
 * recorded. An offset that cannot be committed now is committed later, unless its partition has gone. Used by the
 * consumer's thread.
 */
public final class HandledOffsets {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.kafka.clients.DedupPoll");

    private final Consumer<?, ?> consumer;
    private final Runnable recordSuccesses;
    private final Duration timeout;
    private final KafkaDeliveries deliveries;
    private final Map<TopicPartition, OffsetAndMetadata> due = new HashMap<>();
    private boolean wokenUp;

    /**
     * Creates the ones of a consumer.
     *
     * @param recordSuccesses returns when the successes of all handled records are recorded
     * @param timeout how long a commit may take
     * @param deliveries learn of commits and lost partitions
     */
    public HandledOffsets(
            Consumer<?, ?> consumer, Runnable recordSuccesses, Duration timeout, KafkaDeliveries deliveries) {
        this.consumer = consumer;
        this.recordSuccesses = recordSuccesses;
        this.timeout = timeout;
        this.deliveries = deliveries;
    }

    /** The record, and all before it in its partition, need not be delivered again. */
    void handled(TopicPartition partition, ConsumerRecord<?, ?> record) {
        due.put(partition, new OffsetAndMetadata(record.offset() + 1, record.leaderEpoch(), ""));
    }

    /** Nothing of the partition was handled yet, and this is its first offset. */
    void begin(TopicPartition partition, long offset) {
        due.putIfAbsent(partition, new OffsetAndMetadata(offset));
    }

    /** Whether an offset of these partitions isn't committed yet. */
    boolean isAnyDue(Collection<TopicPartition> partitions) {
        return partitions.stream().anyMatch(due::containsKey);
    }

    /**
     * Commits what is due. After a wake-up it commits nevertheless; {@link #rethrowWakeUp} then throws it.
     *
     * @throws org.apache.kafka.common.KafkaException if committing again cannot help
     */
    public void commit() {
        commit(Map.copyOf(due));
    }

    /** Commits what is due of these partitions, which the consumer is about to lose. */
    void commit(Collection<TopicPartition> partitions) {
        Map<TopicPartition, OffsetAndMetadata> some = new HashMap<>(due);
        some.keySet().retainAll(partitions);
        commit(some);
    }

    private void commit(Map<TopicPartition, OffsetAndMetadata> offsets) {
        if (offsets.isEmpty()) {
            return;
        }
        recordSuccesses.run();
        boolean interrupted = Thread.interrupted(); // the consumer would refuse to commit
        try {
            while (!isCommitted(offsets)) {
                wakeUp();
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Returns false after a wake-up: the commit may or may not have happened. */
    private boolean isCommitted(Map<TopicPartition, OffsetAndMetadata> offsets) {
        try {
            consumer.commitSync(offsets, timeout);
            deliveries.committed(offsets);
            offsets.forEach(due::remove);
        } catch (WakeupException e) {
            return false;
        } catch (CommitFailedException e) {
            // No proof that the partitions have moved: an outdated epoch of the member gives this too, and it keeps
            // them. If they have moved, the next poll calls onPartitionsLost before the member joins again.
            log.warn(
                    "Cannot commit {}. If the partitions have moved to another consumer of the group, for example"
                            + " because handlers took longer than max.poll.interval.ms, their records are delivered"
                            + " again, and those that are done count as duplicates. Otherwise trying again after the"
                            + " next poll: {}",
                    offsets,
                    e.toString());
        } catch (RebalanceInProgressException e) {
            log.debug("Cannot commit during a rebalance; committing after it", e);
        } catch (RetriableException e) {
            log.warn("Cannot commit {}; trying again after the next poll: {}", offsets, e.toString());
        } catch (InterruptException e) { // it has set the thread's flag
            log.debug("Interrupted while committing; trying again with the next commit", e);
        }
        return true;
    }

    /** A wake-up has interrupted another call of the consumer than the poll, for which it was meant. */
    void wakeUp() {
        wokenUp = true;
    }

    /** Throws a wake-up that arrived within {@code poll}. */
    public void rethrowWakeUp() {
        if (wokenUp) {
            wokenUp = false;
            throw new WakeupException();
        }
    }

    /** Whether {@link #rethrowWakeUp} would throw. */
    public boolean isWokenUp() {
        return wokenUp;
    }

    void forget(Collection<TopicPartition> partitions) {
        due.keySet().removeAll(partitions);
        deliveries.left(partitions);
    }
}
