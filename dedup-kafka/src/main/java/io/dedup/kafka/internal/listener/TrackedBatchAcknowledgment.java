package io.dedup.kafka.internal.listener;

import io.dedup.kafka.internal.ack.ContainerAck;
import io.dedup.kafka.internal.ack.GivenRecords;
import io.dedup.kafka.internal.ack.PendingDelivery;
import io.dedup.kafka.internal.settlement.HandedBatch;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.support.Acknowledgment;

/**
 * The acknowledgment that a batch handler gets in place of the container's own. Its indexes count the list that the
 * handler was given; the container's indexes count the poll.
 */
final class TrackedBatchAcknowledgment implements GivenRecords {
    private final AcknowledgedBatch batch;
    private final Acknowledgment container;
    private final HandedBatch<?, ?> handed;
    private final int end;
    private final @Nullable ContainerAck ack;
    private volatile int partial = -1;
    private volatile boolean returned;

    /**
     * The acknowledgment of a part of a batch.
     *
     * @param handed what the handler was given
     * @param end the last record of the poll that this acknowledges, including duplicates
     * @param ack the container's acknowledgment of the whole poll; null if it must not be sent, because the poll was
     *     cut or the record is handled alone
     */
    TrackedBatchAcknowledgment(
            AcknowledgedBatch batch,
            Acknowledgment container,
            HandedBatch<?, ?> handed,
            int end,
            @Nullable ContainerAck ack) {
        this.batch = batch;
        this.container = container;
        this.handed = handed;
        this.end = end;
        this.ack = ack;
    }

    @Override
    public void acknowledge() {
        if (partial >= 0) { // all the rest, as the container's own does since spring-kafka 4.1; before, one record
            int last = handed.listSize() - 1;
            if (partial < last) {
                acknowledge(last);
            }
            return;
        }
        List<Integer> covered = withoutSoughtBack(handed.indexes());
        batch.acknowledge(covered, covered.size() == handed.size() ? ack : null);
    }

    /** What the same call has sought back to isn't acknowledged: committed, it would be lost in a crash. */
    private List<Integer> withoutSoughtBack(List<Integer> indexes) {
        return returned ? indexes : batch.withoutSoughtBack(indexes);
    }

    @Override
    public void acknowledge(int index) {
        requireInHandler("acknowledge(index)");
        if (index <= partial) {
            throw new IllegalArgumentException(
                    "index (" + index + ") must be greater than the previous partial commit (" + partial + ")");
        }
        requireListed(index);
        if (index == handed.listSize() - 1) {
            batch.acknowledgePartly(withoutSoughtBack(handed.indexes()), end);
        } else { // including what was filtered out before the next record
            int next = requireListed(index + 1);
            batch.acknowledgePartly(withoutSoughtBack(handed.indexes().subList(0, next)), handed.index(next) - 1);
        }
        partial = index;
    }

    @Override
    public void nack(int index, Duration sleep) {
        requireInHandler("nack(index, sleep)");
        int position = requireListed(index);
        int from = index == 0 ? 0 : position; // nack(0) acknowledges nothing, not even what was filtered out
        batch.nackFrom(withoutSoughtBack(handed.indexes().subList(0, from)), handed.index(from), sleep);
    }

    @Override
    public void nack(Duration sleep) {
        container.nack(sleep); // throws: not supported for batches
    }

    @Override
    public boolean isOutOfOrderCommit() {
        return container.isOutOfOrderCommit();
    }

    /** Translates an index of the handler's list to the position among the records that it was given. */
    private int requireListed(int index) {
        if (index < 0 || index >= handed.listSize()) {
            throw new IllegalArgumentException(
                    "index (" + index + ") is out of range (0-" + (handed.listSize() - 1) + ")");
        }
        int position = handed.position(index);
        if (position < 0) {
            throw new IllegalStateException(
                    "The handler changed the order of its list: index (" + index + ") is ambiguous");
        }
        return position;
    }

    private void requireInHandler(String what) {
        if (returned) {
            throw new IllegalStateException(what + " of " + this + " was called after its handler has returned");
        }
    }

    @Override
    public List<PendingDelivery> deliveries() {
        return batch.given(handed.indexes());
    }

    @Override
    public void acknowledgeAll() {
        batch.acknowledge(handed.indexes(), null);
    }

    @Override
    public void handlerReturned() {
        returned = true;
    }

    @Override
    public String toString() {
        return container.toString();
    }
}
