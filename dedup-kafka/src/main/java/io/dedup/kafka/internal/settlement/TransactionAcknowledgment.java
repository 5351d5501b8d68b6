package io.dedup.kafka.internal.settlement;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.support.Acknowledgment;

/**
 * Collects a handler's acknowledgments during its transaction. They are passed to the container after the commit: an
 * offset that is committed earlier could lose the effect.
 *
 * <p>May be called from any thread until the handler returns, when the transaction ends.
 */
public final class TransactionAcknowledgment implements Acknowledgment {
    private final Acknowledgment container;
    private final Thread consumer = Thread.currentThread();
    private final @Nullable HandedBatch<?, ?> batch;
    private int acknowledged;
    private int nacked = -1;
    private Duration sleep = Duration.ZERO;
    private boolean returned;

    /** @param batch the records that the handler was given; null for a record listener */
    public TransactionAcknowledgment(Acknowledgment container, @Nullable HandedBatch<?, ?> batch) {
        this.container = container;
        this.batch = batch;
    }

    private int size() {
        return batch == null ? 1 : batch.size();
    }

    @Override
    public synchronized void acknowledge() {
        requireRunning("acknowledge()");
        acknowledged = size();
    }

    @Override
    public synchronized void acknowledge(int index) {
        requireRunning("acknowledge(index)");
        if (batch == null) {
            container.acknowledge(index); // throws: not supported for records
            return;
        }
        boolean last = index == batch.listSize() - 1; // includes what a filter removed from the end
        acknowledged = last ? size() : Math.max(acknowledged, positionOf(index) + 1);
    }

    @Override
    public synchronized void nack(Duration pause) {
        requireRunning("nack()");
        if (batch != null) {
            container.nack(pause); // throws: not supported for batches
            return;
        }
        nackFrom(0, pause);
    }

    @Override
    public synchronized void nack(int index, Duration pause) {
        requireRunning("nack(index)");
        if (batch == null) {
            container.nack(index, pause); // throws: not supported for records
            return;
        }
        nackFrom(positionOf(index), pause);
    }

    private void nackFrom(int position, Duration pause) {
        if (Thread.currentThread() != consumer) {
            throw new IllegalStateException("nack() can only be called on the consumer thread");
        }
        if (pause.isNegative()) {
            throw new IllegalArgumentException("sleep cannot be negative");
        }
        nacked = nacked < 0 ? position : Math.min(nacked, position);
        sleep = pause;
    }

    private int positionOf(int index) {
        int position = batch == null ? index : batch.position(index);
        if (position < 0) {
            throw new IllegalArgumentException(
                    "Index " + index + " is none of the records that the listener was given");
        }
        return position;
    }

    private void requireRunning(String call) {
        if (returned) {
            throw new IllegalStateException(call + " of " + container
                    + " was called after its handler has returned, when the transaction is over."
                    + " Acknowledge before returning, or use mode LEASED");
        }
    }

    /**
     * The handler has returned: what it calls from now on is refused.
     *
     * @throws NotAcknowledgedException when it has called {@code nack}
     */
    public synchronized void handlerReturned() {
        returned = true;
        if (nacked >= 0) {
            throw new NotAcknowledgedException(nacked, sleep);
        }
    }

    /** @throws NotAcknowledgedException when it hasn't acknowledged everything */
    synchronized void requireAll() {
        if (acknowledged < size()) {
            throw new NotAcknowledgedException(acknowledged, null);
        }
    }

    @Override
    public boolean isOutOfOrderCommit() {
        return container.isOutOfOrderCommit();
    }

    @Override
    public String toString() {
        return container.toString();
    }
}
