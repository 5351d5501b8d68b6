package io.dedup.kafka;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.BatchListenerFailedException;

/**
 * A failure of one record of a batch. An error handler that is busy retrying the whole poll would recover the whole poll
 * when it gives up, with records that the handler hasn't come to; so this one makes it begin anew, with that record.
 */
final class RecordFailedException extends BatchListenerFailedException {
    private static final long serialVersionUID = 1L;

    RecordFailedException(String message, Throwable cause, ConsumerRecord<?, ?> record) {
        super(message, cause, record);
    }

    static boolean isIn(@Nullable Throwable thrown) {
        Throwable each = thrown;
        for (int depth = 0; each != null && depth < 20; depth++) {
            if (each instanceof RecordFailedException) {
                return true;
            }
            each = each.getCause();
        }
        return false;
    }
}
