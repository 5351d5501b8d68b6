package io.dedup.kafka.internal.listener;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.adapter.Admission;
import io.dedup.adapter.Execution;
import io.dedup.kafka.internal.ack.ContainerAck;
import io.dedup.kafka.internal.ack.ManualAcks;
import io.dedup.kafka.internal.ack.NackedException;
import io.dedup.kafka.internal.ack.PendingDeliveries;
import io.dedup.kafka.internal.ack.PendingDelivery;
import io.dedup.kafka.internal.ack.PendingPartition;
import io.dedup.kafka.internal.consumer.BoundConsumer;
import io.dedup.kafka.internal.settlement.HandedBatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.support.Acknowledgment;

/**
 * What the handler of one batch has, acknowledges and gives back, in the manual ack modes: during its call and later, from any
 * thread.
 *
 * <p>A batch that is cut can't be acknowledged as a whole: the container would commit what is behind the cut. What is
 * finished of it is committed with the deferral, and what is acknowledged later is recognised as done when it comes
 * again.
 */
final class AcknowledgedBatch {
    private final BoundConsumer bound;
    private final PolledBatch<?, ?> batch;
    private final ManualAcks acks;
    private final PendingDeliveries pending;
    private final Acknowledgment container;
    /** What the handler was given, by its index in the poll. */
    private final Map<Integer, PendingDelivery> given = new ConcurrentHashMap<>(); // acks come from any thread

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

    /** What a record is a copy of, because the handler has the same message; else null. */
    @Nullable
    PendingDelivery firstOf(int index) {
        return pending.firstOf(batch.deliveries.get(index));
    }

    /** Enters what is before the cut. */
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

    /** The records are entered one by one. */
    void enterSingly() {
        ack = ackOfPoll();
    }

    /** Enters a record that isn't run; with what it is a copy of. */
    void enter(int index, @Nullable PendingDelivery first) {
        if (first != null) {
            pending.arrivals().following(first, batch.records.get(index), ack);
        } else {
            pending.arrivals().finished(batch.records.get(index), ack);
        }
    }

    /** Enters a record that is run. */
    void give(int index, Execution execution) {
        given.put(index, acks.given(batch.records.get(index), batch.deliveries.get(index), execution, ack));
    }

    /** Asks for the container's ack of the poll, which goes out when everything that it covers is finished. */
    void request() {
        pending.request(ack);
    }

    /** What the handler acknowledges for what it is given, up to an index of the poll. */
    TrackedBatchAcknowledgment acknowledgment(HandedBatch<?, ?> handed, int end) {
        return new TrackedBatchAcknowledgment(this, container, handed, end, ack);
    }

    /** The same for a record that it is given alone, which can't acknowledge the poll. */
    TrackedBatchAcknowledgment acknowledgmentOfOne(HandedBatch<?, ?> handed, int index) {
        return new TrackedBatchAcknowledgment(this, container, handed, index, null);
    }

    boolean isNacked() {
        return nackedFrom >= 0;
    }

    /** The handler has returned, or had nothing to do, and nothing was cut off. */
    void end() {
        if (isNacked()) {
            comeAgain();
        } else if (bound.batchRetry().isRunning() && batch.unfinished(batch.size()) < batch.size()) {
            bound.batchRetry().leaveUncommitted();
        }
    }

    /** Null without a group: the container's acknowledgment would try to commit. */
    private @Nullable ContainerAck ackOfPoll() {
        return bound.commitsOffsets() ? ContainerAck.ofBatch(container) : null;
    }

    private void comeAgain() {
        if (bound.batchRetry().isRunning() || !bound.commitsOffsets()) {
            throw nacked(null); // the error handler's retry loop doesn't know of nacks: it would commit the whole poll
        }
        int again = batch.unfinished(nackedFrom);
        try {
            container.nack(again, nackSleep);
        } catch (RuntimeException e) { // it commits what is before
            throw nacked(e);
        }
        batch.finishedBefore(again);
    }

    /** What the container is told where it can't be told of a nack. */
    RuntimeException nacked(@Nullable Throwable cause) {
        return batch.deferral(nackedFrom, nackedFrom, DeferReason.IN_FLIGHT, nackSleep, false, cause);
    }

    /** As they were entered. */
    List<PendingDelivery> given(List<Integer> indexes) {
        return indexes.stream().map(this::givenAt).toList();
    }

    private PendingDelivery givenAt(int index) {
        PendingDelivery delivery = given.get(index);
        if (delivery == null) {
            throw new IllegalStateException("record " + index + " of the batch wasn't given to the handler");
        }
        return delivery;
    }

    /**
     * The handler acknowledges these records of the poll, which it was given, and with each of them what is below it in
     * its partition. Not what is below the duplicates between them: it never saw those, and may still work on what it
     * was given before.
     */
    void acknowledge(List<Integer> indexes, @Nullable ContainerAck ack) {
        Map<PendingPartition, PendingDelivery> upTo = new HashMap<>();
        for (int index : indexes) {
            PendingDelivery delivery = givenAt(index);
            upTo.put(delivery.partition, delivery);
        }
        acks.acknowledge(upTo.values(), ack);
    }

    /**
     * The same, committed at once by the container, as far as nothing holds it back.
     *
     * @param end the last record of the poll that is meant, duplicates included
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
     * The handler acknowledges some records and gives everything from another one of the poll on back. The container
     * learns of it when the handler has returned: it would remember the nack of one that throws for a later poll.
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
