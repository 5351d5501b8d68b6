package io.dedup.kafka;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.engine.Admission;
import io.dedup.engine.Delivery;
import io.dedup.engine.WaitBudget;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** The steps that a batch takes in every ack mode. Belongs to one invocation of one batch. */
final class BatchSteps<K, V> {
    final Decoration decoration;
    final BoundConsumer bound;
    final List<ConsumerRecord<K, V>> records;
    final List<Delivery> deliveries;
    final WaitBudget budget;

    BatchSteps(Decoration decoration, BoundConsumer bound, List<ConsumerRecord<K, V>> records) {
        this.decoration = decoration;
        this.bound = bound;
        this.records = records;
        this.deliveries = records.stream().map(decoration.deliveries()::of).toList();
        this.budget = bound.batchBudget();
    }

    int size() {
        return records.size();
    }

    HandedBatch<K, V> hand(List<Integer> indexes) {
        return new HandedBatch<>(records, indexes);
    }

    /** For claiming the batch: none when one of its records was deferred before, whose waiting its pauses do. */
    WaitBudget claimBudget() {
        return records.stream().anyMatch(bound::wasDeferred) ? WaitBudget.none() : budget;
    }

    /** The exception that ends a batch at a deferral or a rejection, with everything before {@code unfinished} done. */
    RuntimeException cutAt(int index, @Nullable Admission admission, int unfinished) {
        if (admission instanceof Admission.Defer defer) {
            return deferral(index, unfinished, defer.reason(), defer.retryAfter(), defer.pause(), defer.cause());
        }
        if (!(admission instanceof Admission.Reject reject)) {
            throw new IllegalStateException("doesn't cut: " + admission);
        }
        if (unfinished < index) {
            // The error handler would commit what is before the rejected record. It is rejected when that is done.
            return deferral(index, unfinished, DeferReason.IN_FLIGHT, maxDeferDelay(index), false, reject.cause());
        }
        return new RecordFailedException(
                String.valueOf(reject.cause().getMessage()), reject.cause(), records.get(index));
    }

    /**
     * The handler failed without naming a record, in front of a cut. That would fail the whole poll, and what is behind
     * the cut would be recovered with it, never handled. So the first record that the handler was given stands for all
     * of them: it is retried with them, and recovered alone.
     */
    RuntimeException failedBeforeCut(int first, int unfinished, int cut, Throwable cause) {
        if (unfinished < first) {
            // The error handler would commit what is before the record that is named.
            return deferral(first, unfinished, DeferReason.IN_FLIGHT, maxDeferDelay(first), false, cause);
        }
        return new RecordFailedException(
                "the batch listener failed without naming a record; the " + (size() - cut)
                        + " records from offset " + records.get(cut).offset() + " of partition "
                        + records.get(cut).partition() + " on weren't given to it",
                cause,
                records.get(first));
    }

    RuntimeException leaseLost(int index, int unfinished, Throwable cause) {
        return deferral(index, unfinished, DeferReason.LEASE_LOST, maxDeferDelay(index), false, cause);
    }

    RuntimeException deferral(
            int index,
            int unfinished,
            DeferReason reason,
            Duration retryAfter,
            boolean pause,
            @Nullable Throwable cause) {
        ConsumerRecord<K, V> deferred = records.get(index);
        return bound.deferring(
                new DeliveryDeferredException(reason, retryAfter, pause, deferred, records.get(unfinished), cause),
                deferred);
    }

    private Duration maxDeferDelay(int index) {
        return deliveries.get(index).topic().policy().maxDeferDelay();
    }

    /** A handler's failure on a record that it was given alone: names the record, so that only that one is retried. */
    RuntimeException failedAlone(int index, Throwable cause) {
        return cause instanceof Error error
                ? Sneaky.rethrow(error)
                : new RecordFailedException(
                        "the listener failed on a record that it was given alone", cause, records.get(index));
    }
}
