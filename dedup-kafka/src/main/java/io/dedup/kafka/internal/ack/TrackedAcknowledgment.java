package io.dedup.kafka.internal.ack;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.support.Acknowledgment;

/** The acknowledgment that a record's handler gets in place of the container's own. */
public final class TrackedAcknowledgment implements GivenRecords {
    private final Acknowledgment container;
    private final ManualAcks acks;
    private final PendingDelivery delivery;
    private final @Nullable ContainerAck ack;
    private final boolean single;
    private volatile boolean returned;

    /** @param single whether it acknowledges its own record alone, and not the records below it */
    public TrackedAcknowledgment(
            Acknowledgment container,
            ManualAcks acks,
            PendingDelivery delivery,
            @Nullable ContainerAck ack,
            boolean single) {
        this.container = container;
        this.acks = acks;
        this.delivery = delivery;
        this.ack = ack;
        this.single = single;
    }

    @Override
    public void acknowledge() {
        if (!returned && acks.isSoughtBack(delivery)) {
            return; // the same call has sought back to the record: committed, it would be lost in a crash
        }
        acknowledgeAll();
    }

    @Override
    public void nack(Duration sleep) {
        if (single) {
            throw new IllegalStateException(
                    "nack() isn't supported with asyncAcks or an asynchronous return type. Throw an exception, or"
                            + " complete the future exceptionally, to have the record retried");
        }
        if (returned) {
            throw new IllegalStateException("nack() of " + this + " was called after its handler has returned: the"
                    + " container would redeliver another record instead of this one");
        }
        container.nack(sleep); // first: it checks the thread; the record is redelivered after the handler's return
        acks.fail(List.of(delivery), new NackedException(this.toString()));
    }

    @Override
    public void acknowledge(int index) {
        container.acknowledge(index); // throws: not supported for records
    }

    @Override
    public void nack(int index, Duration sleep) {
        container.nack(index, sleep); // throws: not supported for records
    }

    @Override
    public boolean isOutOfOrderCommit() {
        return single || container.isOutOfOrderCommit();
    }

    @Override
    public List<PendingDelivery> deliveries() {
        return List.of(delivery);
    }

    @Override
    public void acknowledgeAll() {
        if (single) {
            acks.acknowledgeOnly(delivery, ack);
        } else {
            acks.acknowledge(List.of(delivery), ack);
        }
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
