package io.dedup.kafka.internal.ack;

import io.dedup.DedupKey;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.HandlerRun;
import io.dedup.step.LeaseLostException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** One position of a partition. Its fields are read and written under the lock of {@link PendingDeliveries}. */
public final class PendingDelivery {
    /** The state of the position. */
    private enum State {
        /** The handler has the record and hasn't acknowledged it. */
        GIVEN,
        /** A copy of a record that the handler has. */
        FOLLOWING,
        /** Acknowledged or failed; its completion or release is on its way to the store. */
        CLOSING,
        /** Its work failed; it must be redelivered. */
        AGAIN,
        /** The container's error handler decides about it. */
        HANDED_OVER,
        FINISHED
    }

    public final PendingPartition partition;
    final long offset;
    final @Nullable Execution execution;
    /** Its place in the order in which the handler is given records. */
    private long turn;

    private final List<PendingDelivery> followers = new ArrayList<>(0);
    private final List<ContainerAck> acks = new ArrayList<>(1);
    private State state;
    /** The failure to report to the error handler when it is redelivered in {@link State#AGAIN}. */
    private @Nullable Throwable failure;
    /** Whether the consumer was asked to seek back to it in {@link State#AGAIN}. */
    private boolean sought;
    /** The delivery that a copy follows. */
    private @Nullable PendingDelivery first;
    /** Whether user code has sought to it or below it while its work was going on. */
    private boolean soughtBack;

    private PendingDelivery(
            PendingPartition partition, ConsumerRecord<?, ?> record, State state, @Nullable Execution execution) {
        this.partition = partition;
        this.offset = record.offset();
        this.state = state;
        this.execution = execution;
    }

    /** The exception for its handler, one of whose steps was left out because the lease was lost. Null if none was. */
    @Nullable
    LeaseLostException stopped() {
        return execution == null ? null : HandlerRun.stopped(execution);
    }

    /** Creates the delivery of a record that the handler is about to get. */
    static PendingDelivery given(PendingPartition partition, ConsumerRecord<?, ?> record, Execution execution) {
        return new PendingDelivery(partition, record, State.GIVEN, execution);
    }

    /** Creates the delivery of a copy of a message that the handler has. */
    static PendingDelivery copy(PendingPartition partition, ConsumerRecord<?, ?> record) {
        return new PendingDelivery(partition, record, State.FOLLOWING, null);
    }

    /** Creates the delivery of a record that an error handler decides about. */
    static PendingDelivery handedOver(PendingPartition partition, ConsumerRecord<?, ?> record) {
        return new PendingDelivery(partition, record, State.HANDED_OVER, null);
    }

    @Nullable
    DedupKey key() {
        return execution == null ? null : execution.delivery().key();
    }

    /** What its handler has returned for duplicates; null if nothing was kept. */
    public byte @Nullable [] result() {
        return execution == null ? null : execution.keptResult();
    }

    /** The handler is about to get it. */
    void takeTurn(long number) {
        turn = number;
    }

    boolean wasGivenBefore(PendingDelivery other) {
        return turn < other.turn;
    }

    boolean isGiven() {
        return state == State.GIVEN;
    }

    boolean isFollowing() {
        return state == State.FOLLOWING;
    }

    boolean isAgain() {
        return state == State.AGAIN;
    }

    boolean isHandedOver() {
        return state == State.HANDED_OVER;
    }

    /** Starts closing: the record was acknowledged or has failed. Returns false if the handler no longer has it. */
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
     * Its work failed: it and its copies must be redelivered.
     *
     * @param cause null if no error handler should be called
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

    /** Returns true once, if it must be redelivered and the seek hasn't been requested. The caller then requests it. */
    boolean seek() {
        boolean due = state == State.AGAIN && !sought;
        sought |= due;
        return due;
    }

    /** Whether the seek was requested and the record hasn't been redelivered. */
    boolean isAwaited() {
        return state == State.AGAIN && sought;
    }

    /** Whether the partition must be read again from this record on. */
    boolean mustBeRedelivered() {
        return state == State.AGAIN || isOverdue();
    }

    /** The record has been redelivered. Returns the failure of its work, if there is one to report. */
    @Nullable
    Throwable redeliveryCause() {
        if (state != State.AGAIN) {
            return null;
        }
        sought = false;
        return failure;
    }

    /** An error handler decides about the redelivered record. */
    void handOver() {
        if (state == State.AGAIN) {
            state = State.HANDED_OVER;
            failure = null;
        }
    }

    /** The error handler has sought back to it, so that it is redelivered. */
    void retry() {
        if (state == State.HANDED_OVER) {
            state = State.AGAIN;
            sought = true;
        }
    }

    /**
     * Another delivery of the same record replaces this one. Returns the run whose claim must be abandoned, if there is
     * one.
     */
    @Nullable
    Execution supersede() {
        followNobody();
        if (state != State.GIVEN) {
            return null;
        }
        state = State.FINISHED; // the outcome of its run no longer matters
        return execution;
    }

    List<PendingDelivery> followers() {
        return List.copyOf(followers);
    }

    boolean isOpen() {
        return state == State.GIVEN || state == State.CLOSING;
    }

    /** Whether a redelivery replaces it. */
    boolean isOver() {
        return state == State.AGAIN || state == State.HANDED_OVER;
    }

    /** Whether its run, or the run that it follows, is overdue, so that its message may run again. */
    boolean isOverdue() {
        return switch (state) {
            case GIVEN -> execution != null && execution.isOverdue();
            case FOLLOWING -> first != null && first.isOverdue();
            default -> false;
        };
    }

    /** Adds an acknowledgment that commits this position. */
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

    /** Takes over copies and acknowledgments of an earlier delivery of the same record. */
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

    /**
     * Cancels acknowledgments of its record alone. Nothing will request them any more, and each holds the record in
     * memory.
     */
    private void dropOwnAcks() {
        acks.removeIf(ack -> {
            if (ack.record() != null) {
                ack.cancel();
            }
            return ack.record() != null;
        });
    }

    void seekBack() {
        soughtBack = true;
    }

    boolean isSoughtBack() {
        return soughtBack;
    }

    /** Whether it has an acknowledgment of its record alone, requested now or when the handler finishes, that can still be sent. */
    boolean hasOwnAck() {
        return acks.stream().anyMatch(ack -> ack.record() != null && !ack.isOver());
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

    /** Whether both have a fingerprint, and the fingerprints differ. */
    boolean differsFrom(Delivery other) {
        return execution != null && execution.delivery().differsFrom(other);
    }
}
