package io.dedup.kafka.internal.ack;

import io.dedup.DedupKey;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** One position of a partition. Its fields are read and written under the lock of {@link PendingDeliveries}. */
public final class PendingDelivery {
    /** What becomes of it. */
    enum State {
        /** The handler has it and hasn't acknowledged it. */
        GIVEN,
        /** A copy of one that the handler has. */
        FOLLOWING,
        /** Acknowledged, or failed; the store is being told. */
        CLOSING,
        /** Its work failed; it must be delivered again. */
        AGAIN,
        /** The error handler decides about it. */
        HANDED_OVER,
        FINISHED
    }

    public final PendingPartition partition;
    final long offset;
    final @Nullable Delivery delivery;
    final @Nullable Execution execution;
    final List<PendingDelivery> followers = new ArrayList<>(0);
    private final List<ContainerAck> acks = new ArrayList<>(1);
    State state;
    /** What the error handler is told when it is delivered {@link State#AGAIN}. */
    @Nullable
    Throwable failure;

    boolean sought;
    /** What a copy follows. */
    @Nullable
    PendingDelivery first;

    PendingDelivery(
            PendingPartition partition,
            ConsumerRecord<?, ?> record,
            State state,
            @Nullable Delivery delivery,
            @Nullable Execution execution) {
        this.partition = partition;
        this.offset = record.offset();
        this.state = state;
        this.delivery = delivery;
        this.execution = execution;
    }

    @Nullable
    DedupKey key() {
        return delivery == null ? null : delivery.key();
    }

    boolean isOpen() {
        return state == State.GIVEN || state == State.CLOSING;
    }

    /** Whether another delivery of this record takes its place. */
    boolean isOver() {
        return state == State.AGAIN || state == State.HANDED_OVER;
    }

    /** Whether its run, or that of the one that it follows, has taken too long: its message may run again. */
    boolean isOverdue() {
        return switch (state) {
            case GIVEN -> execution != null && execution.isOverdue();
            case FOLLOWING -> first != null && first.isOverdue();
            default -> false;
        };
    }

    /** This ack commits this position, among others. */
    void attach(@Nullable ContainerAck ack) {
        if (ack != null && !acks.contains(ack)) {
            acks.add(ack);
            ack.covers(partition, offset);
        }
    }

    void followNobody() {
        if (first != null) {
            first.followers.remove(this);
            first = null;
        }
    }

    void follow(PendingDelivery leader) {
        followNobody();
        first = leader;
        leader.followers.add(this);
    }

    /** Takes the place of one that was given before. */
    void inherit(PendingDelivery before) {
        if (before.isOver()) {
            before.dropOwnAcks();
        }
        before.followers.forEach(follower -> follower.first = this);
        followers.addAll(before.followers);
        before.followers.clear();
        acks.addAll(before.acks);
    }

    /** Nobody asks for them any more, and each of them has the record. */
    private void dropOwnAcks() {
        acks.removeIf(ack -> {
            if (ack.record() != null) {
                ack.cancel();
            }
            return ack.record() != null;
        });
    }

    /** Whether it has the ack of its record alone, which was asked for, or will be when the handler is done with it. */
    boolean hasOwnAck() {
        return acks.stream().anyMatch(ack -> ack.record() != null);
    }

    List<ContainerAck> acks() {
        return acks;
    }

    static List<Execution> executions(Collection<PendingDelivery> deliveries) {
        List<Execution> executions = new ArrayList<>(deliveries.size());
        for (PendingDelivery delivery : deliveries) {
            if (delivery.execution != null) {
                executions.add(delivery.execution);
            }
        }
        return executions;
    }

    /** Whether both say what their payload is, and it isn't the same. */
    boolean differsFrom(Delivery other) {
        return delivery != null && delivery.differsFrom(other);
    }
}
