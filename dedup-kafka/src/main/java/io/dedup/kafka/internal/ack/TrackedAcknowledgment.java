package io.dedup.kafka.internal.ack;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.support.Acknowledgment;

/** What a record's handler acknowledges in place of the container's own acknowledgment. */
public final class TrackedAcknowledgment implements Acknowledgment {
    private final Acknowledgment container;
    private final ManualAcks acks;
    private final PendingDelivery delivery;
    private final @Nullable ContainerAck ack;
    private final boolean single;
    private volatile boolean returned;

    /** @param single whether it stands for its own record alone, not for what is below it */
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
        if (single) {
            acks.acknowledgeOnly(delivery, ack);
        } else {
            acks.acknowledge(List.of(delivery), ack);
        }
    }

    @Override
    public void nack(Duration sleep) {
        if (single) {
            throw new IllegalStateException(
                    "nack() is not supported with asyncAcks or an asynchronous return: fail instead");
        }
        if (returned) {
            throw new IllegalStateException("nack() of " + this + " comes after its handler has returned: the container"
                    + " would deliver another record again, and never this one");
        }
        container.nack(
                sleep); // checks that it may be called here; the record comes again only after the handler's return
        acks.fail(List.of(delivery), new NackedException(this.toString()));
    }

    @Override
    public void acknowledge(int index) {
        container.acknowledge(index); // not supported for records, and says so
    }

    @Override
    public void nack(int index, Duration sleep) {
        container.nack(index, sleep); // not supported for records, and says so
    }

    @Override
    public boolean isOutOfOrderCommit() {
        return single || container.isOutOfOrderCommit();
    }

    /** What this stands for. */
    public PendingDelivery delivery() {
        return delivery;
    }

    public void handlerReturned() {
        returned = true;
    }

    @Override
    public String toString() {
        return container.toString();
    }
}
