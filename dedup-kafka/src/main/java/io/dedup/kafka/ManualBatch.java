package io.dedup.kafka;

import io.dedup.engine.Admission;
import io.dedup.engine.BatchAdmission;
import io.dedup.engine.DedupEngine;
import io.dedup.engine.Delivery;
import io.dedup.engine.Execution;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.support.Acknowledgment;

/**
 * One batch whose records are done when the handler acknowledges them, which may be after its return and from another
 * thread.
 *
 * <p>A batch that is cut can't be acknowledged as a whole: the container would commit what is behind the cut. What is
 * finished of it is committed with the deferral, and what is acknowledged later is recognised as done when it comes
 * again.
 */
final class ManualBatch<K, V> {
    private static final Logger log = LoggerFactory.getLogger(KafkaDedup.class);

    private final BatchSteps<K, V> steps;
    private final DedupEngine engine;
    private final ManualAcks acks;
    private final PendingDeliveries pending;
    private final Acknowledgment container;
    private final BatchHandler<K, V> handler;
    /** What the handler was given, by its index in the poll. */
    private final Map<Integer, PendingDelivery> given = new HashMap<>();

    private int partlyAcknowledged = -1;
    private boolean nacked;

    ManualBatch(
            Decoration decoration,
            BoundConsumer bound,
            List<ConsumerRecord<K, V>> records,
            Acknowledgment container,
            BatchHandler<K, V> handler) {
        this.steps = new BatchSteps<>(decoration, bound, records);
        this.engine = decoration.engine();
        this.acks = bound.acks();
        this.pending = acks.pending();
        this.container = container;
        this.handler = handler;
    }

    void run() {
        Map<Integer, PendingDelivery> firsts = new HashMap<>();
        List<Delivery> toAdmit = new ArrayList<>();
        List<Integer> indexes = new ArrayList<>();
        for (int i = 0; i < steps.size(); i++) {
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
            runSingly();
            return;
        }
        BatchPlan plan = BatchPlan.of(BatchPlan.spread(batch.admissions(), indexes, steps.size()), firsts);
        plan.giveBackBehindCut(engine);
        ContainerAck ack = plan.isCut() ? null : ContainerAck.ofBatch(container);
        for (int i = 0; i < plan.cut(); i++) {
            record(i, plan, ack);
        }
        if (!plan.runs().isEmpty()) {
            runAll(plan, ack);
        } else {
            pending.request(ack);
        }
        if (plan.isCut() && !nacked) {
            throw steps.cutAt(plan.cut(), plan.admissions().get(plan.cut()), unfinished(plan.cut()));
        }
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
            pending.following(first, record, ack);
        } else {
            pending.finished(record, ack);
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
    }

    private RuntimeException failed(BatchPlan plan, BatchFailure failure, HandedBatch<K, V> handed) {
        int proven = Math.max(0, failure.failed());
        int first = plan.runs().get(proven);
        if (proven > 0) {
            acknowledge(plan.runs().subList(0, proven), null);
        }
        List<PendingDelivery> failed = new ArrayList<>();
        plan.runs().subList(proven, plan.runs().size()).forEach(index -> failed.add(givenAt(index)));
        boolean leaseLost = acks.fail(failed, failure.thrown());
        if (failure.thrown() instanceof Error) {
            return Sneaky.rethrow(failure.thrown());
        }
        if (leaseLost) {
            return steps.leaseLost(first, unfinished(first), failure.thrown());
        }
        if (failure.failed() >= 0 || !plan.isCut()) {
            return Sneaky.rethrow(failure.translated(handed));
        }
        if (plan.admissions().get(plan.cut()) instanceof Admission.Defer defer) {
            // An exception that names no record fails the whole poll: the deferred record would be recovered with it.
            log.warn("The batch listener failed; its records are tried again with the deferred one", failure.thrown());
            return steps.deferral(
                    plan.cut(), unfinished(first), defer.reason(), defer.retryAfter(), defer.pause(), failure.thrown());
        }
        return steps.failedBeforeCut(first, unfinished(first), plan.cut(), failure.translated(handed));
    }

    private void give(int index, Execution execution, @Nullable ContainerAck ack) {
        PendingDelivery delivery = pending.given(steps.records.get(index), steps.deliveries.get(index), execution, ack);
        given.put(index, delivery);
    }

    private PendingDelivery givenAt(int index) {
        PendingDelivery delivery = given.get(index);
        if (delivery == null) {
            throw new IllegalStateException("record " + index + " of the batch wasn't given to the handler");
        }
        return delivery;
    }

    /** The index of the first record before the limit whose offset mustn't be committed; the limit when there is none. */
    int unfinished(int limit) {
        pending.request(null); // forgets what is finished and nothing holds back
        for (int i = 0; i < limit; i++) {
            if (pending.unfinishedUpTo(steps.records.get(i))) {
                return i;
            }
        }
        return limit;
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
        int last = unfinished(end + 1) - 1;
        if (last > partlyAcknowledged) {
            container.acknowledge(last);
            partlyAcknowledged = last;
        }
    }

    /** The handler acknowledges some records and gives everything from another one of the poll on back. */
    void nackFrom(List<Integer> acknowledged, int index, Duration sleep) {
        acknowledge(acknowledged, null);
        container.nack(unfinished(index), sleep);
        nacked = true;
        List<PendingDelivery> back = new ArrayList<>();
        given.forEach((at, delivery) -> {
            if (at >= index) {
                back.add(delivery);
            }
        });
        acks.fail(back, new NackedException(this + " from record " + index));
    }

    private void runSingly() {
        ContainerAck whole = ContainerAck.ofBatch(container);
        for (int i = 0; i < steps.size() && !nacked; i++) {
            Delivery delivery = steps.deliveries.get(i);
            PendingDelivery first = pending.firstOf(delivery);
            Admission admission = first == null ? engine.admit(delivery, steps.budget) : null;
            if (first != null) {
                pending.following(first, steps.records.get(i), whole);
            } else if (admission instanceof Admission.Run run) {
                runAlone(i, run.execution(), whole);
            } else if (admission instanceof Admission.Defer || admission instanceof Admission.Reject) {
                throw steps.cutAt(i, admission, unfinished(i));
            } else {
                pending.finished(steps.records.get(i), whole);
            }
        }
        if (!nacked) {
            pending.request(whole);
        }
    }

    private void runAlone(int index, Execution execution, ContainerAck whole) {
        HandedBatch<K, V> handed = steps.hand(List.of(index));
        give(index, execution, whole);
        execution.begin();
        TrackedBatchAcknowledgment tracked = new TrackedBatchAcknowledgment(this, container, handed, index, null);
        try {
            handler.handle(handed.list(), tracked);
        } catch (Throwable e) {
            boolean leaseLost = acks.fail(List.of(givenAt(index)), e);
            int unfinished = unfinished(index);
            if (leaseLost && !(e instanceof Error)) {
                throw steps.leaseLost(index, unfinished, e);
            }
            throw unfinished == index || e instanceof Error
                    ? steps.failedAlone(index, e)
                    : steps.failedBeforeCut(index, unfinished, index + 1, e);
        } finally {
            tracked.handlerReturned();
        }
    }

    @Override
    public String toString() {
        return container.toString();
    }
}
