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
    private enum State {
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
    private final List<PendingDelivery> followers = new ArrayList<>(0);
    private final List<ContainerAck> acks = new ArrayList<>(1);
    private State state;
    /** What the error handler is told when it is delivered {@link State#AGAIN}. */
    private @Nullable Throwable failure;
    /** Whether the consumer was asked to fetch it {@link State#AGAIN}. */
    private boolean sought;
    /** What a copy follows. */
    private @Nullable PendingDelivery first;

    private PendingDelivery(
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

    /** The handler is about to get it. */
    static PendingDelivery given(
            PendingPartition partition, ConsumerRecord<?, ?> record, Delivery delivery, Execution execution) {
        return new PendingDelivery(partition, record, State.GIVEN, delivery, execution);
    }

    /** A copy of one that the handler has. */
    static PendingDelivery copy(PendingPartition partition, ConsumerRecord<?, ?> record) {
        return new PendingDelivery(partition, record, State.FOLLOWING, null, null);
    }

    /** An error handler decides about it. */
    static PendingDelivery handedOver(PendingPartition partition, ConsumerRecord<?, ?> record) {
        return new PendingDelivery(partition, record, State.HANDED_OVER, null, null);
    }

    @Nullable
    DedupKey key() {
        return delivery == null ? null : delivery.key();
    }

    boolean isGiven() {
        return state == State.GIVEN;
    }

    boolean isFollowing() {
        return state == State.FOLLOWING;
    }

    boolean isHandedOver() {
        return state == State.HANDED_OVER;
    }

    /** It was acknowledged, or has failed, and the store is being told. False when it isn't the handler's any more. */
    boolean close() {
        if (state != State.GIVEN) {
            return false;
        }
        state = State.CLOSING;
        return true;
    }

    void finish() {
        state = State.FINISHED;
    }

    /**
     * Its work has failed: it must be delivered again, and so must its copies.
     *
     * @param cause null when no error handler is to hear of it
     */
    void again(@Nullable Throwable cause) {
        state = State.AGAIN;
        failure = cause;
        for (PendingDelivery follower : followers) {
            if (follower.state == State.FOLLOWING) {
                follower.state = State.AGAIN;
            }
        }
        followers.clear();
    }

    /** Whether it must be delivered again and nobody has asked for it; somebody does now. */
    boolean seek() {
        boolean due = state == State.AGAIN && !sought;
        sought |= due;
        return due;
    }

    /** Whether it was asked for and hasn't come. */
    boolean isAwaited() {
        return state == State.AGAIN && sought;
    }

    /** Whether the partition is to be read from here again. */
    boolean mustComeAgain() {
        return state == State.AGAIN || isOverdue();
    }

    /** It has come again; with which failure, if any. */
    @Nullable
    Throwable comesAgain() {
        if (state != State.AGAIN) {
            return null;
        }
        sought = false;
        return failure;
    }

    /** An error handler decides about what came again. */
    void handOver() {
        if (state == State.AGAIN) {
            state = State.HANDED_OVER;
            failure = null;
        }
    }

    /** Another delivery of the same record takes its place. The run whose claim is to be abandoned, if it has one. */
    @Nullable
    Execution supersede() {
        followNobody();
        if (state != State.GIVEN) {
            return null;
        }
        state = State.FINISHED; // whatever its run does from now on concerns nobody
        return execution;
    }

    List<PendingDelivery> followers() {
        return List.copyOf(followers);
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
        for (PendingDelivery follower : before.followers) {
            follower.first = this;
        }
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
