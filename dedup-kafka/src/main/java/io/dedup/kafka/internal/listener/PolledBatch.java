package io.dedup.kafka.internal.listener;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.WaitBudget;
import io.dedup.kafka.exception.DeliveryDeferredException;
import io.dedup.kafka.internal.KafkaLog;
import io.dedup.kafka.internal.ack.PendingDeliveries;
import io.dedup.kafka.internal.consumer.BoundConsumer;
import io.dedup.kafka.internal.deferral.RecordFailedException;
import io.dedup.kafka.internal.failure.Rethrow;
import io.dedup.kafka.internal.record.RecordDeliveries;
import io.dedup.kafka.internal.settlement.HandedBatch;
import io.dedup.kafka.internal.settlement.NotAcknowledgedException;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The records of one call of a batch listener, and the exceptions for the container when not all of them are done. Used
 * by that call only.
 */
final class PolledBatch<K, V> {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);

    final DedupAdapter engine;
    final BoundConsumer bound;
    final List<ConsumerRecord<K, V>> records;
    final List<Delivery> deliveries;
    final WaitBudget budget;
    private final PendingDeliveries pending;

    PolledBatch(DedupAdapter engine, RecordDeliveries made, BoundConsumer bound, List<ConsumerRecord<K, V>> records) {
        this.engine = engine;
        this.bound = bound;
        this.records = records;
        this.deliveries = records.stream().map(made::of).toList();
        this.budget = bound.batchBudget();
        this.pending = bound.acks().pending();
    }

    int size() {
        return records.size();
    }

    HandedBatch<K, V> hand(List<Integer> indexes) {
        return new HandedBatch<>(records, indexes);
    }

    /**
     * The index of the first record whose partition has too many unfinished records of earlier polls; the size if there
     * is none.
     */
    int firstBehindTooMany() {
        int index = 0;
        while (index < size() && !bound.isBehindTooMany(records.get(index))) {
            index++;
        }
        return index;
    }

    /**
     * The budget for claiming the batch: none if one of its records was deferred before, since its partition is paused
     * instead.
     */
    WaitBudget claimBudget() {
        return records.stream().anyMatch(bound.deferred()::contains) ? WaitBudget.none() : budget;
    }

    /**
     * The index of the first record before the limit whose offset must not be committed; the limit if there is none. What
     * lies above a record that the call has sought back to is delivered again, duplicates included.
     */
    int unfinished(int limit) {
        pending.request(null); // removes finished records that nothing holds back
        for (int i = 0; i < limit; i++) {
            if (pending.unfinishedUpTo(records.get(i)) || bound.soughtBack().includes(records.get(i))) {
                return i;
            }
        }
        return limit;
    }

    /** The listener has finished with the records before this one, which the container won't seek back to. */
    void finishedBefore(int index) {
        bound.outstanding().finished(records.subList(0, index));
    }

    /** The exception that ends a batch at a deferral or a rejection. The runs before it are done or pending. */
    RuntimeException cutAt(int index, @Nullable Admission admission) {
        if (admission instanceof Admission.Defer defer) {
            return deferral(index, index, defer.reason(), defer.retryAfter(), defer.pause(), defer.cause());
        }
        if (!(admission instanceof Admission.Reject reject)) {
            throw new IllegalStateException("Not a deferral or rejection: " + admission);
        }
        bound.rejected(records.get(index));
        return failedAt(
                index,
                new RecordFailedException(
                        String.valueOf(reject.cause().getMessage()), reject.cause(), records.get(index)));
    }

    /**
     * The exception for the container after a handler's failure. The caller has completed the successful runs and
     * released the others.
     */
    RuntimeException failed(BatchPlan plan, BatchFailure failure, HandedBatch<?, ?> handed, boolean isDeferral) {
        int first = plan.runs().get(Math.max(0, failure.failed()));
        if (failure.thrown() instanceof Error) {
            return Rethrow.asIs(failure.thrown());
        }
        if (isDeferral) {
            return leaseLost(first, failure.thrown());
        }
        if (failure.failed() >= 0) {
            return failedAt(first, failure.translated(handed));
        }
        // A record that waits for one that has just failed is redelivered and deferred with it: the failure must count.
        if (plan.isCut()
                && plan.admissions().get(plan.cut()) instanceof Admission.Defer defer
                && !defer.behindOthers()) {
            // An exception that names no record fails the whole poll: the deferred record would be recovered with it.
            log.warn(
                    "The batch listener failed without naming a record; the poll is redelivered from the message in {}"
                            + " on, because the message in {} is deferred",
                    deliveries.get(first).origin().get(),
                    deliveries.get(plan.cut()).origin().get(),
                    failure.thrown());
            return deferral(plan.cut(), first, defer.reason(), defer.retryAfter(), defer.pause(), failure.thrown());
        }
        return handed.size() < size()
                ? failedInPart(first, handed, failure.translated(handed))
                : failedUpTo(size() - 1, 0, failure.translated(handed));
    }

    /**
     * The handler failed without naming a record, and wasn't given all of the poll. As a failure of the whole poll,
     * records behind a cut would be recovered without being handled, and so would duplicates although they are done.
     * Therefore the first record that the handler was given stands for all of them: it is retried with them, and
     * recovered alone.
     */
    private RuntimeException failedInPart(int first, HandedBatch<?, ?> handed, Throwable cause) {
        return failedAt(
                first,
                new RecordFailedException(
                        "The batch listener failed without naming a record; it was given " + handed.size() + " of the "
                                + size() + " records of the poll",
                        cause,
                        records.get(first)));
    }

    /** A failure of one record, for the error handler. */
    private RuntimeException failedAt(int index, Throwable thrown) {
        finishedBefore(unfinished(index));
        return failedUpTo(index, index, thrown);
    }

    /**
     * The error handler commits the offset of a record that it has recovered, and so everything below it in its
     * partition. Therefore it gets the failure only when all of that is finished, records of earlier polls included;
     * until then the record is deferred.
     */
    private RuntimeException failedUpTo(int last, int first, Throwable thrown) {
        if (unfinished(last + 1) > last) {
            return Rethrow.asIs(thrown);
        }
        log.warn(
                "The message in {} failed while the handler hasn't acknowledged records below it; it is redelivered until"
                        + " these are acknowledged",
                deliveries.get(first).origin().get(),
                thrown);
        return deferral(first, first, DeferReason.IN_FLIGHT, maxDeferDelay(first), false, thrown);
    }

    RuntimeException leaseLost(int index, Throwable cause) {
        return deferral(index, index, DeferReason.LEASE_LOST, maxDeferDelay(index), false, cause);
    }

    /**
     * The exception for a deferral.
     *
     * @param index the record that cannot be handled now
     * @param first the poll's first unfinished record, as far as this batch knows
     */
    RuntimeException deferral(
            int index, int first, DeferReason reason, Duration retryAfter, boolean pause, @Nullable Throwable cause) {
        ConsumerRecord<K, V> deferred = records.get(index);
        int again = unfinished(first);
        finishedBefore(again);
        return bound.deferred()
                .throwing(
                        new DeliveryDeferredException(reason, retryAfter, pause, deferred, records.get(again), cause),
                        deferred);
    }

    /** The deferral of a record that the handler didn't acknowledge, and of what was rolled back with it. */
    RuntimeException redelivered(int index, NotAcknowledgedException open) {
        if (!open.isNack()) {
            log.warn(
                    "Rolled back the message in {}: {}",
                    deliveries.get(index).origin().get(),
                    open.getMessage());
        }
        return deferral(index, index, DeferReason.ROLLED_BACK, open.sleep(maxDeferDelay(index)), false, open);
    }

    Duration maxDeferDelay(int index) {
        return deliveries.get(index).topic().policy().maxDeferDelay();
    }

    /** A handler's failure on a record that it was given alone: names the record, so that only that one is retried. */
    RuntimeException failedAlone(int index, Throwable cause) {
        return cause instanceof Error error
                ? Rethrow.asIs(error)
                : failedAt(
                        index,
                        new RecordFailedException(
                                "The listener failed on a record that it was given alone", cause, records.get(index)));
    }
}
