package io.dedup.kafka.internal.listener;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.WaitBudget;
import io.dedup.kafka.exception.DeliveryDeferredException;
import io.dedup.kafka.internal.KafkaLog;
import io.dedup.kafka.internal.Rethrow;
import io.dedup.kafka.internal.ack.PendingDeliveries;
import io.dedup.kafka.internal.consumer.BoundConsumer;
import io.dedup.kafka.internal.deferral.RecordFailedException;
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
 * The records of one call of a batch listener, and what the container is told when not all of them are done. Belongs to that
 * call.
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

    /** The index of the first record whose partition has too many unfinished ones of earlier polls; the size when there is none. */
    int firstBehindTooMany() {
        int index = 0;
        while (index < size() && !bound.isBehindTooMany(records.get(index))) {
            index++;
        }
        return index;
    }

    /** For claiming the batch: none when one of its records was deferred before, whose waiting its pauses do. */
    WaitBudget claimBudget() {
        return records.stream().anyMatch(bound.deferred()::contains) ? WaitBudget.none() : budget;
    }

    /** The index of the first record before the limit whose offset mustn't be committed; the limit when there is none. */
    int unfinished(int limit) {
        pending.request(null); // forgets what is finished and nothing holds back
        for (int i = 0; i < limit; i++) {
            if (pending.unfinishedUpTo(records.get(i))) {
                return i;
            }
        }
        return limit;
    }

    /** The listener has finished with the records before this one, which the container won't seek back to. */
    void finishedBefore(int index) {
        bound.outstanding().finished(records.subList(0, index));
    }

    /** The exception that ends a batch at a deferral or a rejection. What was handed before it is done, or is pending. */
    RuntimeException cutAt(int index, @Nullable Admission admission) {
        if (admission instanceof Admission.Defer defer) {
            return deferral(index, index, defer.reason(), defer.retryAfter(), defer.pause(), defer.cause());
        }
        if (!(admission instanceof Admission.Reject reject)) {
            throw new IllegalStateException("doesn't cut: " + admission);
        }
        bound.rejected(records.get(index));
        return failedAt(
                index,
                new RecordFailedException(
                        String.valueOf(reject.cause().getMessage()), reject.cause(), records.get(index)));
    }

    /** What a handler's failure becomes, when what it proves done is done and the rest is released. */
    RuntimeException failed(BatchPlan plan, BatchFailure failure, HandedBatch<?, ?> handed, boolean leaseLost) {
        int first = plan.runs().get(Math.max(0, failure.failed()));
        if (failure.thrown() instanceof Error) {
            return Rethrow.asIs(failure.thrown());
        }
        if (leaseLost) {
            return leaseLost(first, failure.thrown());
        }
        if (failure.failed() >= 0) {
            return failedAt(first, failure.translated(handed));
        }
        // What waits for what has just failed comes again with it, and is deferred again: such a failure has to count.
        if (plan.isCut()
                && plan.admissions().get(plan.cut()) instanceof Admission.Defer defer
                && !defer.behindOthers()) {
            // An exception that names no record fails the whole poll: the deferred record would be recovered with it.
            log.warn("The batch listener failed; its records are tried again with the deferred one", failure.thrown());
            return deferral(plan.cut(), first, defer.reason(), defer.retryAfter(), defer.pause(), failure.thrown());
        }
        return handed.size() < size()
                ? failedInPart(first, handed, failure.translated(handed))
                : failedUpTo(size() - 1, 0, failure.translated(handed));
    }

    /**
     * The handler failed without naming a record, and wasn't given all of the poll. That would fail the whole poll: what
     * is behind a cut would be recovered with it, never handled, and duplicates although they are done. So the first
     * record that the handler was given stands for all of them: it is retried with them, and recovered alone.
     */
    private RuntimeException failedInPart(int first, HandedBatch<?, ?> handed, Throwable cause) {
        return failedAt(
                first,
                new RecordFailedException(
                        "the batch listener failed without naming a record; it was given " + handed.size() + " of the "
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
     * The error handler commits the offset of what it has recovered, and what is below it in its partition. So it gets a
     * failure when all of that is finished, also what earlier polls have brought; until then the record comes again.
     */
    private RuntimeException failedUpTo(int last, int first, Throwable thrown) {
        if (unfinished(last + 1) > last) {
            return Rethrow.asIs(thrown);
        }
        log.warn(
                "What failed is tried again until the records below it, of which the handler has some, are acknowledged",
                thrown);
        return deferral(first, first, DeferReason.IN_FLIGHT, maxDeferDelay(first), false, thrown);
    }

    RuntimeException leaseLost(int index, Throwable cause) {
        return deferral(index, index, DeferReason.LEASE_LOST, maxDeferDelay(index), false, cause);
    }

    /**
     * A deferral.
     *
     * @param index the record that can't be decided now
     * @param first the first one of the poll that isn't done, as far as this batch goes
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

    /** A deferral of what the handler didn't acknowledge, and what was rolled back with it. */
    RuntimeException comesAgain(int index, NotAcknowledgedException open) {
        if (!open.isNack()) {
            log.warn("{}: {}", deliveries.get(index).origin().get(), open.getMessage());
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
                                "the listener failed on a record that it was given alone", cause, records.get(index)));
    }
}
