package io.dedup.kafka.internal.settlement;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.adapter.Admission;
import io.dedup.adapter.BatchAdmission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.kafka.internal.Rethrow;
import io.dedup.kafka.internal.ack.ContainerAck;
import io.dedup.kafka.internal.ack.ManualAcks;
import io.dedup.kafka.internal.ack.NackedException;
import io.dedup.kafka.internal.ack.PendingDeliveries;
import io.dedup.kafka.internal.ack.PendingDelivery;
import io.dedup.kafka.internal.ack.PendingPartition;
import io.dedup.kafka.internal.ack.UnfinishedLimit;
import io.dedup.kafka.internal.consumer.BoundConsumer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.support.Acknowledgment;

/**
 * One batch whose records are done when the handler acknowledges them, which may be after its return and from another
 * thread.
 *
 * <p>A batch that is cut can't be acknowledged as a whole: the container would commit what is behind the cut. What is
 * finished of it is committed with the deferral, and what is acknowledged later is recognised as done when it comes
 * again.
 */
public final class ManualBatch<K, V> {
    private final BoundConsumer bound;
    private final BatchSteps<K, V> steps;
    private final DedupAdapter engine;
    private final ManualAcks acks;
    private final PendingDeliveries pending;
    private final Acknowledgment container;
    private final BatchHandler<K, V> handler;
    /** What the handler was given, by its index in the poll. */
    private final Map<Integer, PendingDelivery> given = new ConcurrentHashMap<>(); // acks come from any thread

    private int partlyAcknowledged = -1;
    private int nackedFrom = -1;
    private Duration nackSleep = Duration.ZERO;

    public ManualBatch(BatchSteps<K, V> steps, Acknowledgment container, BatchHandler<K, V> handler) {
        this.steps = steps;
        this.bound = steps.bound;
        this.engine = steps.engine;
        this.acks = bound.acks();
        this.pending = acks.pending();
        this.container = container;
        this.handler = handler;
    }

    public void run() {
        Map<Integer, PendingDelivery> firsts = new HashMap<>();
        List<Delivery> toAdmit = new ArrayList<>();
        List<Integer> indexes = new ArrayList<>();
        int held = steps.firstBehindTooMany();
        for (int i = 0; i < held; i++) {
            PendingDelivery first = pending.firstOf(steps.deliveries.get(i));
            if (first == null) {
                toAdmit.add(steps.deliveries.get(i));
                indexes.add(i);
            } else {
                firsts.put(i, first);
            }
        }
        BatchAdmission batch = engine.admitAll(toAdmit, steps.claimBudget());
        if (batch.isolate()) {
            runSingly(held);
            return;
        }
        BatchPlan plan;
        ContainerAck ack;
        try {
            List<@Nullable Admission> admissions = BatchPlan.spread(batch.admissions(), indexes, steps.size());
            if (held < steps.size()) {
                admissions.set(held, UnfinishedLimit.deferral(steps.maxDeferDelay(held)));
            }
            plan = BatchPlan.of(admissions, firsts);
            plan.giveBackBehindCut(engine);
            ack = plan.isCut() ? null : ackOfPoll();
            for (int i = 0; i < plan.cut(); i++) {
                record(i, plan, ack);
            }
        } catch (Throwable e) { // before the handler's call: nobody else would end the renewals of its claims
            engine.failAll(BatchPlan.executions(batch), null);
            throw e;
        }
        if (!plan.runs().isEmpty()) {
            runAll(plan, ack);
        } else {
            pending.request(ack);
        }
        if (nackedFrom < 0 && plan.isCut()) {
            throw steps.cutAt(plan.cut(), plan.admissions().get(plan.cut()));
        }
        end();
    }

    /** The handler has returned, or had nothing to do, and nothing was cut off. */
    private void end() {
        if (nackedFrom >= 0) {
            comeAgain();
        } else if (bound.batchRetry().isRunning() && steps.unfinished(steps.size()) < steps.size()) {
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
        try {
            container.nack(steps.unfinished(nackedFrom), nackSleep);
        } catch (RuntimeException e) { // it commits what is before
            throw nacked(e);
        }
    }

    private RuntimeException nacked(@Nullable Throwable cause) {
        return steps.deferral(nackedFrom, nackedFrom, DeferReason.IN_FLIGHT, nackSleep, false, cause);
    }

    private void record(int index, BatchPlan plan, @Nullable ContainerAck ack) {
        ConsumerRecord<K, V> record = steps.records.get(index);
        Admission admission = plan.admissions().get(index);
        PendingDelivery first = plan.firsts().get(index);
        if (admission instanceof Admission.Follow follow) {
            first = given.get(follow.leader());
        }
        if (admission instanceof Admission.Run run) {
            give(index, run.execution(), ack);
        } else if (first != null) {
            pending.arrivals().following(first, record, ack);
        } else {
            pending.arrivals().finished(record, ack);
        }
    }

    private void runAll(BatchPlan plan, @Nullable ContainerAck ack) {
        HandedBatch<K, V> handed = steps.hand(plan.runs());
        plan.executions().forEach(Execution::begin);
        TrackedBatchAcknowledgment tracked =
                new TrackedBatchAcknowledgment(this, container, handed, plan.cut() - 1, ack);
        try {
            handler.handle(handed.list(), tracked);
        } catch (Throwable e) {
            throw failed(plan, BatchFailure.of(e, handed), handed);
        } finally {
            tracked.handlerReturned();
        }
        returned(handed);
    }

    /** Without a group nothing can be committed, and the handler's return is the acknowledgment of what it didn't nack. */
    private void returned(HandedBatch<K, V> handed) {
        if (!bound.commitsOffsets()) {
            acknowledge(handed.indexes(), null);
        }
    }

    private RuntimeException failed(BatchPlan plan, BatchFailure failure, HandedBatch<K, V> handed) {
        int proven = Math.max(0, failure.failed());
        // These only: of earlier polls it proves nothing, although an acknowledgment would stand for them.
        acks.finish(given(plan.runs().subList(0, proven)));
        boolean leaseLost =
                acks.fail(given(plan.runs().subList(proven, plan.runs().size())), failure.thrown());
        return nackedFrom >= 0 && !(failure.thrown() instanceof Error)
                ? nacked(failure.thrown())
                : steps.failed(plan, failure, handed, leaseLost);
    }

    private List<PendingDelivery> given(List<Integer> indexes) {
        return indexes.stream().map(this::givenAt).toList();
    }

    private void give(int index, Execution execution, @Nullable ContainerAck ack) {
        PendingDelivery delivery = acks.given(steps.records.get(index), steps.deliveries.get(index), execution, ack);
        given.put(index, delivery);
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
        int last = steps.unfinished(nackedFrom < 0 ? end + 1 : Math.min(end + 1, nackedFrom)) - 1;
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

    private void runSingly(int held) {
        ContainerAck whole = ackOfPoll();
        for (int i = 0; i < steps.size() && nackedFrom < 0; i++) {
            if (i == held) {
                throw steps.cutAt(i, UnfinishedLimit.deferral(steps.maxDeferDelay(i)));
            }
            Delivery delivery = steps.deliveries.get(i);
            PendingDelivery first = pending.firstOf(delivery);
            Admission admission = first == null ? engine.admit(delivery, steps.budget) : null;
            if (first != null) {
                pending.arrivals().following(first, steps.records.get(i), whole);
            } else if (admission instanceof Admission.Run run) {
                runAlone(i, run.execution(), whole);
            } else if (admission instanceof Admission.Defer || admission instanceof Admission.Reject) {
                throw steps.cutAt(i, admission);
            } else {
                pending.arrivals().finished(steps.records.get(i), whole);
            }
        }
        if (nackedFrom < 0) {
            pending.request(whole);
        }
        end();
    }

    private void runAlone(int index, Execution execution, @Nullable ContainerAck whole) {
        HandedBatch<K, V> handed = steps.hand(List.of(index));
        give(index, execution, whole);
        execution.begin();
        TrackedBatchAcknowledgment tracked = new TrackedBatchAcknowledgment(this, container, handed, index, null);
        try {
            handler.handle(handed.list(), tracked);
        } catch (Throwable e) {
            boolean leaseLost = acks.fail(List.of(givenAt(index)), e);
            if (e instanceof Error) {
                throw Rethrow.asIs(e);
            }
            if (nackedFrom >= 0) {
                throw nacked(e);
            }
            throw leaseLost ? steps.leaseLost(index, e) : steps.failedAlone(index, e);
        } finally {
            tracked.handlerReturned();
        }
        returned(handed);
    }

    @Override
    public String toString() {
        return container.toString();
    }
}
