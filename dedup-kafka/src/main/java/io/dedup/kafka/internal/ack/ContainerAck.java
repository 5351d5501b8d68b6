package io.dedup.kafka.internal.ack;

import io.dedup.kafka.internal.Partitions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.support.Acknowledgment;

/**
 * An acknowledgment of the container. It is sent once: when it has been requested and all positions that it covers are
 * finished. The container's acknowledgment of a poll commits all of its partitions; if one of them was lost to another
 * consumer or is read again, it is never sent, and the others are committed before the next poll. Its fields are read and
 * written under the lock of {@link PendingDeliveries}.
 */
public final class ContainerAck {
    private final Runnable ack;
    private final @Nullable ConsumerRecord<?, ?> record;
    /** For each partition, the last position that it covers. */
    private final Map<PendingPartition, Long> last = new HashMap<>(2);

    private int waitingIn;
    private boolean requested;
    /** Whether it must not be sent, because it would commit more than what it covers now. */
    private boolean partial;

    private boolean over;

    private ContainerAck(Runnable ack, @Nullable ConsumerRecord<?, ?> record) {
        this.ack = ack;
        this.record = record;
    }

    /** The ack of one record. */
    public static ContainerAck of(ConsumerRecord<?, ?> record, Acknowledgment acknowledgment) {
        return new ContainerAck(acknowledgment::acknowledge, record);
    }

    /** The ack of a whole poll. */
    public static ContainerAck ofBatch(Acknowledgment acknowledgment) {
        return new ContainerAck(acknowledgment::acknowledge, null);
    }

    /** The acknowledged record; null for a whole poll. */
    @Nullable
    ConsumerRecord<?, ?> record() {
        return record;
    }

    /** Adds a position that this acknowledgment commits. */
    void covers(PendingPartition partition, long offset) {
        partial |= partition.isLost();
        Long before = last.get(partition);
        if (over || partition.isLost() || (before != null && before >= offset)) {
            return;
        }
        if (before == null || !partition.stopsWaiting(before, this)) {
            waitingIn++;
        }
        last.put(partition, offset);
        partition.waits(offset, this);
    }

    /** The partitions in which it commits. */
    Set<PendingPartition> partitions() {
        return last.keySet();
    }

    /** One partition no longer holds it back. */
    void stopWaitingInOne() {
        waitingIn--;
    }

    void request() {
        requested = true;
    }

    /** Cancels it for good: another one commits what it covers. */
    void cancel() {
        over = true;
        last.forEach((partition, offset) -> partition.stopsWaiting(offset, this));
        last.clear();
    }

    /**
     * Cancels it in a partition: what it covers there is redelivered, or the partition belongs to another consumer, whose
     * offset it would move.
     */
    void cancelIn(PendingPartition partition) {
        Long offset = last.remove(partition);
        if (offset != null && partition.stopsWaiting(offset, this)) {
            waitingIn--;
        }
        partial = true;
        over |= record != null;
        boolean unused = isDue(); // it may have waited for this partition alone
    }

    /** Whether it was sent, or never will be. */
    boolean isOver() {
        return over;
    }

    /** Returns true once, when it must be sent. */
    boolean isDue() {
        if (!requested || waitingIn > 0 || over) {
            return false;
        }
        over = true;
        partial |= last.keySet().removeIf(PendingPartition::isLost); // it may have stopped waiting before the loss
        last.forEach((partition, offset) -> partition.acknowledged(offset + 1, !partial));
        return !partial;
    }

    /**
     * Cancels other acknowledgments that this one makes superfluous: it is requested, and waits for the same positions.
     */
    void supersede(List<ContainerAck> others) {
        if (requested && !over) {
            others.stream().filter(this::supersedes).toList().forEach(ContainerAck::cancel);
        }
    }

    private boolean supersedes(ContainerAck other) {
        return other != this
                && other.last.entrySet().stream().allMatch(covered -> {
                    Long mine = last.get(covered.getKey());
                    return mine != null && covered.getKey().nothingOpenBetween(covered.getValue(), mine);
                });
    }

    boolean isRequested() {
        return requested;
    }

    /** Drops acknowledgments that this one makes superfluous, in all partitions that it covers. */
    void settle() {
        Map.copyOf(last).forEach(PendingPartition::dropSuperfluousAcks);
    }

    /**
     * Sends only the last acknowledgment of each partition, which also covers the ones below. After two acknowledgments
     * of one partition from another thread, the container may lose the second commit, because the first one's wake-up
     * interrupts it.
     */
    static void send(List<ContainerAck> due) {
        Map<TopicPartition, ContainerAck> last = new HashMap<>();
        for (ContainerAck ack : due) {
            if (ack.record() != null) {
                last.put(Partitions.of(ack.record()), ack);
            }
        }
        for (ContainerAck ack : due) {
            if (ack.record() == null || last.get(Partitions.of(ack.record())) == ack) {
                ack.ack.run();
            }
        }
    }
}
