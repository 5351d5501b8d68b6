package io.dedup.kafka;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.support.Acknowledgment;

/**
 * What a batch handler acknowledges in place of the container's own acknowledgment. Its indexes count the list that the
 * handler was given; the container's count the poll.
 */
final class TrackedBatchAcknowledgment implements Acknowledgment {
    private final ManualBatch<?, ?> batch;
    private final Acknowledgment container;
    private final List<Integer> indexes;
    private final int end;
    private final @Nullable ContainerAck ack;
    private volatile int partial = -1;
    private volatile boolean returned;

    /**
     * The acknowledgment of a part of a batch.
     *
     * @param indexes where the handler's records are in the poll
     * @param end the last record of the poll that this stands for, duplicates included
     * @param ack the container's ack for all of the poll; null when that one must not be sent: the poll
     *     was cut, or the record is handled alone
     */
    TrackedBatchAcknowledgment(
            ManualBatch<?, ?> batch,
            Acknowledgment container,
            List<Integer> indexes,
            int end,
            @Nullable ContainerAck ack) {
        this.batch = batch;
        this.container = container;
        this.indexes = indexes;
        this.end = end;
        this.ack = ack;
    }

    @Override
    public void acknowledge() {
        if (partial >= 0) {
            acknowledge(partial + 1); // so does the container's own
            return;
        }
        batch.acknowledgeUpTo(end, ack);
    }

    @Override
    public void acknowledge(int index) {
        requireInHandler("acknowledge(index)");
        if (index <= partial) {
            throw new IllegalArgumentException(
                    "index (" + index + ") must be greater than the previous partial commit (" + partial + ")");
        }
        int upTo = index(index) == indexes.get(indexes.size() - 1) ? end : indexes.get(index + 1) - 1;
        batch.acknowledgePartly(upTo);
        partial = index;
    }

    @Override
    public void nack(int index, Duration sleep) {
        requireInHandler("nack(index, sleep)");
        batch.nackFrom(index(index), sleep);
    }

    @Override
    public void nack(Duration sleep) {
        container.nack(sleep); // not supported for batches, and says so
    }

    @Override
    public boolean isOutOfOrderCommit() {
        return container.isOutOfOrderCommit();
    }

    private int index(int index) {
        if (index < 0 || index >= indexes.size()) {
            throw new IllegalArgumentException(
                    "index (" + index + ") is out of range (0-" + (indexes.size() - 1) + ")");
        }
        return indexes.get(index);
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
