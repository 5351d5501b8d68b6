package io.dedup.kafka.internal.ack;

import io.dedup.kafka.internal.Partitions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.support.Acknowledgment;

/**
 * An ack of the container: sent once, when it is asked for and all positions that it covers are finished, and never
 * after one of them has become another consumer's. Its fields are read and written under the lock of
 * {@link PendingDeliveries}.
 */
public final class ContainerAck {
    private final Runnable ack;
    private final @Nullable ConsumerRecord<?, ?> record;
    /** The last position that it covers, of each of its partitions. */
    private final Map<PendingPartition, Long> last = new HashMap<>(2);

    private int waitingIn;
    private boolean requested;
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

    /** The record that this acks; null for a whole poll. */
    @Nullable
    ConsumerRecord<?, ?> record() {
        return record;
    }

    /** It commits this position, among others. */
    void covers(PendingPartition partition, long offset) {
        Long before = last.get(partition);
        if (over || (before != null && before >= offset)) {
            return;
        }
        if (before == null || !partition.stopsWaiting(before, this)) {
            waitingIn++;
        }
        last.put(partition, offset);
        partition.waits(offset, this);
    }

    /** Nothing of one partition holds it back any more. */
    void freeInOne() {
        waitingIn--;
    }

    void request() {
        requested = true;
    }

    /** It is never sent: what it covers is delivered again, or is another consumer's, whose offset it would move. */
    void cancel() {
        over = true;
        last.forEach((partition, offset) -> partition.stopsWaiting(offset, this));
        last.clear();
    }

    /** True the one time that it is to be sent. */
    boolean isDue() {
        boolean due = requested
                && waitingIn == 0
                && !over
                && last.keySet().stream().noneMatch(PendingPartition::isLost); // it waited no longer when that was lost
        over |= due;
        return due;
    }

    /** Forgets others that this makes superfluous: where it is asked for, and waits for the same as they. */
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

    /** The partitions of what it covers forget acks that it makes superfluous. */
    void settle() {
        Map.copyOf(last).forEach(PendingPartition::dropSuperfluousAcks);
    }

    /**
     * Sends the last of each partition's records only, since it stands for those below. Two acks of one partition from
     * another thread can make the container lose the second commit: the wake-up of the first interrupts it.
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
