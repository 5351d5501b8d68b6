package io.dedup.kafka.internal.listener;

import io.dedup.kafka.internal.deferral.RecordFailedException;
import io.dedup.kafka.internal.settlement.HandedBatch;
import io.dedup.text.Causes;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.kafka.listener.BatchListenerFailedException;

/**
 * A batch handler's exception, interpreted through the list that the handler was given.
 *
 * @param thrown what it threw
 * @param failed the position of the failed record among those given; -1 if the exception doesn't name one, so that all
 *     count as failed
 * @param misleading whether the exception names a record that the handler wasn't given: the error handler would then
 *     take unfinished records for finished
 */
record BatchFailure(Throwable thrown, int failed, boolean misleading) {

    static BatchFailure of(Throwable thrown, HandedBatch<?, ?> handed) {
        BatchListenerFailedException named = Causes.first(thrown, BatchListenerFailedException.class);
        if (named == null) {
            return new BatchFailure(thrown, -1, false);
        }
        ConsumerRecord<?, ?> record = named.getRecord();
        int position = record == null ? handed.position(named.getIndex()) : handed.position(record);
        return new BatchFailure(thrown, position, position < 0);
    }

    /**
     * For the container: names the record instead of an index, because the handler's index counts its list and not the
     * poll.
     */
    Throwable translated(HandedBatch<?, ?> handed) {
        if (thrown instanceof Error) {
            return thrown;
        }
        if (misleading) {
            IllegalStateException all = new IllegalStateException(
                    "The batch listener threw a BatchListenerFailedException for a record that isn't among the "
                            + handed.size()
                            + " that it was given, or it changed their order: all of them count as failed");
            all.addSuppressed(thrown); // not as the cause, where the error handler would find it
            return all;
        }
        if (failed < 0) {
            return thrown;
        }
        return new RecordFailedException(
                "Record " + failed + " of the " + handed.size() + " that the listener was given failed",
                thrown,
                handed.record(failed));
    }
}
