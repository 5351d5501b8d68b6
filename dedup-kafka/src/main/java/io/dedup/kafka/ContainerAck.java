package io.dedup.kafka;

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
final class ContainerAck {
    private final Runnable ack;
    private final @Nullable ConsumerRecord<?, ?> record;
    private int unfinished;
    private boolean requested;
    private boolean over;

    private ContainerAck(Runnable ack, @Nullable ConsumerRecord<?, ?> record) {
        this.ack = ack;
        this.record = record;
    }

    /** The ack of one record. */
    static ContainerAck of(ConsumerRecord<?, ?> record, Acknowledgment acknowledgment) {
        return new ContainerAck(acknowledgment::acknowledge, record);
    }

    /** The ack of a whole poll. */
    static ContainerAck ofBatch(Acknowledgment acknowledgment) {
        return new ContainerAck(acknowledgment::acknowledge, null);
    }

    /** The record that this acks; null for a whole poll. */
    @Nullable
    ConsumerRecord<?, ?> record() {
        return record;
    }

    void covers() {
        unfinished++;
    }

    void finishedOne() {
        unfinished--;
    }

    void request() {
        requested = true;
    }

    /** The broker doesn't check who commits: the offset of a partition that another consumer has would be moved. */
    void cancel() {
        over = true;
    }

    /** True the one time that it is to be sent. */
    boolean isDue() {
        boolean due = requested && unfinished == 0 && !over;
        over |= due;
        return due;
    }

    /**
     * Sends the last of each partition's records only, since it stands for those below. Two acks of one partition from
     * another thread can make the container lose the second commit: the wake-up of the first interrupts it.
     */
    static void send(List<ContainerAck> due) {
        Map<TopicPartition, ContainerAck> last = new HashMap<>();
        for (ContainerAck ack : due) {
            if (ack.record() != null) {
                last.put(PendingDeliveries.partitionOf(ack.record()), ack);
            }
        }
        for (ContainerAck ack : due) {
            if (ack.record() == null || last.get(PendingDeliveries.partitionOf(ack.record())) == ack) {
                ack.ack.run();
            }
        }
    }
}
