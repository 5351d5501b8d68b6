package io.dedup.kafka.internal.settlement;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.support.Acknowledgment;

/**
 * Collects what a handler acknowledges within its transaction. The container hears of it after the commit: an offset that
 * is committed before could lose the effect.
 *
 * <p>Acknowledged from any thread, but not after the handler's return, when the transaction is over.
 */
public final class TransactionAcknowledgment implements Acknowledgment {
    private final Acknowledgment container;
    private final Thread consumer = Thread.currentThread();
    private final @Nullable HandedBatch<?, ?> batch;
    private int acknowledged;
    private int nacked = -1;
    private Duration sleep = Duration.ZERO;
    private boolean returned;

    /** @param batch what the handler was given; null for a record listener */
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
            container.acknowledge(index); // not supported for records, and says so
            return;
        }
        boolean last =
                index == batch.listSize() - 1; // what a filter took from the end isn't the handler's to acknowledge
        acknowledged = last ? size() : Math.max(acknowledged, positionOf(index) + 1);
    }

    @Override
    public synchronized void nack(Duration pause) {
        requireRunning("nack()");
        if (batch != null) {
            container.nack(pause); // not supported for batches, and says so
            return;
        }
        nackFrom(0, pause);
    }

    @Override
    public synchronized void nack(int index, Duration pause) {
        requireRunning("nack(index)");
        if (batch == null) {
            container.nack(index, pause); // not supported for records, and says so
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
                    "index " + index + " isn't one of the records that the listener was given");
        }
        return position;
    }

    private void requireRunning(String call) {
        if (returned) {
            throw new IllegalStateException(
                    call + " of " + container + " comes after its handler has returned, when the"
                            + " transaction is over: acknowledge before returning, or use mode LEASED");
        }
    }

    /**
     * The handler has returned.
     *
     * @param needed whether what isn't acknowledged comes again; without a group the return stands for it
     * @throws NotAcknowledgedException when not everything is to be committed
     */
    public synchronized void handlerReturned(boolean needed) {
        returned = true;
        if (nacked >= 0) {
            throw new NotAcknowledgedException(nacked, sleep);
        }
        if (needed && acknowledged < size()) {
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
