package io.dedup.kafka;

import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.BatchListenerFailedException;

/**
 * A batch handler's exception, read with the indexes of the list that the handler was given.
 *
 * @param thrown what it threw
 * @param failed the index of the record that failed; -1 when the exception doesn't tell, so that all count as failed
 * @param misleading whether the exception names a record that the handler wasn't given: the error handler would then
 *     take records for finished that aren't
 */
record BatchFailure(Throwable thrown, int failed, boolean misleading) {

    static BatchFailure of(Throwable thrown, List<? extends ConsumerRecord<?, ?>> given) {
        BatchListenerFailedException named = named(thrown);
        if (named == null) {
            return new BatchFailure(thrown, -1, false);
        }
        ConsumerRecord<?, ?> record = named.getRecord();
        int index = record == null ? named.getIndex() : indexOf(record, given);
        boolean known = index >= 0 && index < given.size();
        return new BatchFailure(thrown, known ? index : -1, !known);
    }

    private static @Nullable BatchListenerFailedException named(Throwable thrown) {
        Throwable each = thrown;
        for (int depth = 0; each != null && depth < 20; depth++) {
            if (each instanceof BatchListenerFailedException named) {
                return named;
            }
            each = each.getCause();
        }
        return null;
    }

    private static int indexOf(ConsumerRecord<?, ?> record, List<? extends ConsumerRecord<?, ?>> given) {
        for (int i = 0; i < given.size(); i++) {
            ConsumerRecord<?, ?> each = given.get(i);
            if (each.offset() == record.offset()
                    && each.partition() == record.partition()
                    && each.topic().equals(record.topic())) {
                return i;
            }
        }
        return -1;
    }

    /** For the container: names the record instead of an index, which counted the handler's list and not the poll's. */
    Throwable translated(List<? extends ConsumerRecord<?, ?>> given) {
        if (thrown instanceof Error) {
            return thrown;
        }
        if (misleading) {
            IllegalStateException all = new IllegalStateException(
                    "the batch listener failed with a BatchListenerFailedException for a record that isn't among the "
                            + given.size() + " that it was given: all of them count as failed");
            all.addSuppressed(thrown); // not as the cause: the error handler would find it, and believe it
            return all;
        }
        BatchListenerFailedException named = named(thrown);
        if (named == null || named.getRecord() != null) {
            return thrown;
        }
        return new BatchListenerFailedException(
                "record " + failed + " of the " + given.size() + " that the listener was given failed",
                thrown,
                given.get(failed));
    }
}
