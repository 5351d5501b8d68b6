package io.dedup.kafka.internal.listener;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.adapter.Admission;
import io.dedup.adapter.Execution;
import io.dedup.kafka.internal.ack.ContainerAck;
import io.dedup.kafka.internal.ack.ManualAcks;
import io.dedup.kafka.internal.ack.NackedException;
import io.dedup.kafka.internal.ack.PendingDeliveries;
import io.dedup.kafka.internal.ack.PendingDelivery;
import io.dedup.kafka.internal.consumer.BoundConsumer;
import io.dedup.kafka.internal.settlement.HandedBatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.support.Acknowledgment;

/**
 * What the handler of one batch has, acknowledges and nacks in the manual ack modes: during its call and later, from
 * any thread.
 *
 * <p>A batch that is cut cannot be acknowledged as a whole, because the container would commit what is behind the cut.
 * Its finished part is committed with the deferral; records that are acknowledged later are redelivered and recognized
 * as done.
 */
final class AcknowledgedBatch {
    private final BoundConsumer bound;
    private final PolledBatch<?, ?> batch;
    private final ManualAcks acks;
    private final PendingDeliveries pending;
    private final Acknowledgment container;
    /** The records that the handler was given, by their index in the poll. */
    private final Map<Integer, PendingDelivery> given = new ConcurrentHashMap<>(); // used by acknowledging threads

    private @Nullable ContainerAck ack;
    private int partlyAcknowledged = -1;
    private int nackedFrom = -1;
    private Duration nackSleep = Duration.ZERO;

    AcknowledgedBatch(PolledBatch<?, ?> batch, Acknowledgment container) {
        this.batch = batch;
        this.bound = batch.bound;
        this.acks = bound.acks();
        this.pending = acks.pending();
        this.container = container;
    }

    /** The delivery that a record is a copy of, because the handler has the same message; null if there is none. */
    @Nullable
    PendingDelivery firstOf(int index) {
        return pending.firstOf(batch.deliveries.get(index));
    }

    /** Adds the records before the cut. */
    void enter(BatchPlan plan) {
        ack = plan.isCut() ? null : ackOfPoll();
        for (int i = 0; i < plan.cut(); i++) {
            Admission admission = plan.admissions().get(i);
            PendingDelivery first = admission instanceof Admission.Follow follow
                    ? given.get(follow.leader())
                    : plan.firsts().get(i);
            if (admission instanceof Admission.Run run) {
                give(i, run.execution());
            } else {
                enter(i, first);
            }
        }
    }

    /** The records are added one by one. */
    void enterSingly() {
        ack = ackOfPoll();
    }

    /**
     * Adds a record that isn't run.
     *
     * @param first the delivery that it is a copy of; null if it needs no handling
     */
    void enter(int index, @Nullable PendingDelivery first) {
        if (first != null) {
            pending.arrivals().following(first, batch.records.get(index), ack);
        } else {
            pending.arrivals().finished(batch.records.get(index), ack);
        }
    }

    /** Adds a record that is run. */
    void give(int index, Execution execution) {
        given.put(index, acks.given(batch.records.get(index), execution, ack));
    }

    /**
     * Requests the container's acknowledgment of the poll, which is sent when everything that it covers is finished.
     */
    void request() {
        pending.request(ack);
    }

    /** The acknowledgment for the records that the handler is given, up to an index of the poll. */
    TrackedBatchAcknowledgment acknowledgment(HandedBatch<?, ?> handed, int end) {
        return new TrackedBatchAcknowledgment(this, container, handed, end, ack);
    }

    /** The acknowledgment for a record that the handler is given alone; it cannot acknowledge the poll. */
    TrackedBatchAcknowledgment acknowledgmentOfOne(HandedBatch<?, ?> handed, int index) {
        return new TrackedBatchAcknowledgment(this, container, handed, index, null);
    }

    boolean isNacked() {
        return nackedFrom >= 0;
    }

    /** The handler has returned, or had nothing to do, and nothing was cut off. */
    void end() {
        if (isNacked()) {
            letRedeliver();
        } else if (bound.batchRetry().isRunning() && batch.unfinished(batch.size()) < batch.size()) {
            bound.batchRetry().leaveUncommitted();
        }
    }

    /** Null without a group, because the container's acknowledgment would try to commit. */
    private @Nullable ContainerAck ackOfPoll() {
        return bound.commitsOffsets() ? ContainerAck.ofBatch(container) : null;
    }

    private void letRedeliver() {
        if (bound.batchRetry().isRunning() || !bound.commitsOffsets()) {
            throw nacked(null); // the error handler's retry loop doesn't know nacks and would commit the whole poll
        }
        int again = batch.unfinished(nackedFrom);
        try {
            container.nack(again, nackSleep);
        } catch (RuntimeException e) { // nack commits the records before
            throw nacked(e);
        }
        batch.finishedBefore(again);
    }

    /** The exception to throw where the container cannot be given a nack. */
    RuntimeException nacked(@Nullable Throwable cause) {
        return batch.deferral(nackedFrom, nackedFrom, DeferReason.IN_FLIGHT, nackSleep, false, cause);
    }

    /** The deliveries of these records. */
    List<PendingDelivery> given(List<Integer> indexes) {
        return indexes.stream().map(this::givenAt).toList();
    }

    private PendingDelivery givenAt(int index) {
        PendingDelivery delivery = given.get(index);
        if (delivery == null) {
            throw new IllegalStateException("Record " + index + " of the batch wasn't given to the handler");
        }
        return delivery;
    }

    /** These records of the poll, except those that the current call has sought to or below. */
    List<Integer> withoutSoughtBack(List<Integer> indexes) {
        return bound.soughtBack().isEmpty()
                ? indexes
                : indexes.stream()
                        .filter(index -> !bound.soughtBack().includes(batch.records.get(index)))
                        .toList();
    }

    /**
     * The handler acknowledges these records of the poll, and with each of them the records below it in its partition
     * that it was given. This doesn't include what is below the duplicates between them: the handler never saw those,
     * and may still be working on records of earlier polls.
     */
    void acknowledge(List<Integer> indexes, @Nullable ContainerAck ack) {
        acks.acknowledge(given(indexes), ack);
    }

    /**
     * As {@link #acknowledge}, committed at once by the container, as far as nothing holds it back.
     *
     * @param end the last record of the poll that is covered, including duplicates
     */
    void acknowledgePartly(List<Integer> indexes, int end) {
        acknowledge(indexes, null);
        int last = batch.unfinished(nackedFrom < 0 ? end + 1 : Math.min(end + 1, nackedFrom)) - 1;
        if (last > partlyAcknowledged && bound.commitsOffsets()) {
            container.acknowledge(last);
            partlyAcknowledged = last;
        }
    }

    /**
     * The handler acknowledges some records and nacks everything from another record of the poll on. The container gets
     * the nack when the handler has returned: if the handler throws, the container would apply the nack to a later
     * poll.
     */
    void nackFrom(List<Integer> acknowledged, int index, Duration sleep) {
        if (!bound.isOnItsThread()) {
            throw new IllegalStateException("nack() can only be called on the consumer thread");
        }
        if (sleep.isNegative()) {
            throw new IllegalArgumentException("sleep cannot be negative");
        }
        acknowledge(acknowledged, null);
        nackedFrom = nackedFrom < 0 ? index : Math.min(nackedFrom, index);
        nackSleep = sleep;
        List<PendingDelivery> back = new ArrayList<>();
        given.forEach((at, delivery) -> {
            if (at >= index) {
                back.add(delivery);
            }
        });
        acks.fail(back, new NackedException(this + " from record " + index));
    }

    @Override
    public String toString() {
        return container.toString();
    }
}
