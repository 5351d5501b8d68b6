package io.dedup.kafka.internal.listener;

import io.dedup.kafka.internal.ack.ContainerAck;
import io.dedup.kafka.internal.settlement.HandedBatch;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.support.Acknowledgment;

/**
 * What a batch handler acknowledges in place of the container's own acknowledgment. Its indexes count the list that the
 * handler was given; the container's count the poll.
 */
final class TrackedBatchAcknowledgment implements Acknowledgment {
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
     * @param end the last record of the poll that this stands for, duplicates included
     * @param ack the container's ack for all of the poll; null when that one must not be sent: the poll
     *     was cut, or the record is handled alone
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
        if (partial >= 0) {
            acknowledge(partial + 1); // so does the container's own
            return;
        }
        batch.acknowledge(handed.indexes(), ack);
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
            batch.acknowledgePartly(handed.indexes(), end);
        } else { // with what was filtered out before the next one
            int next = requireListed(index + 1);
            batch.acknowledgePartly(handed.indexes().subList(0, next), handed.index(next) - 1);
        }
        partial = index;
    }

    @Override
    public void nack(int index, Duration sleep) {
        requireInHandler("nack(index, sleep)");
        int position = requireListed(index);
        int from = index == 0 ? 0 : position; // nack(0) acknowledges nothing, not even what was filtered out
        batch.nackFrom(handed.indexes().subList(0, from), handed.index(from), sleep);
    }

    @Override
    public void nack(Duration sleep) {
        container.nack(sleep); // not supported for batches, and says so
    }

    @Override
    public boolean isOutOfOrderCommit() {
        return container.isOutOfOrderCommit();
    }

    /** The position of the record that the handler means by an index of its list. */
    private int requireListed(int index) {
        if (index < 0 || index >= handed.listSize()) {
            throw new IllegalArgumentException(
                    "index (" + index + ") is out of range (0-" + (handed.listSize() - 1) + ")");
        }
        int position = handed.position(index);
        if (position < 0) {
            throw new IllegalStateException(
                    "the handler changed the order of its list, so that index (" + index + ") can't be told");
        }
        return position;
    }

    private void requireInHandler(String what) {
        if (returned) {
            throw new IllegalStateException(what + " of " + this + " comes after its handler has returned");
        }
    }

    void handlerReturned() {
        returned = true;
    }

    @Override
    public String toString() {
        return container.toString();
    }
}
