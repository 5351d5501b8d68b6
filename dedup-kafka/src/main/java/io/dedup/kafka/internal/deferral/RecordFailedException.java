package io.dedup.kafka.internal.deferral;

import io.dedup.text.Causes;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.BatchListenerFailedException;

/**
 * A failure of one record of a batch. An error handler that is busy retrying the whole poll would recover the whole poll
 * when it gives up, with records that the handler hasn't come to; so this one makes it begin anew, with that record.
 */
public final class RecordFailedException extends BatchListenerFailedException {
    private static final long serialVersionUID = 1L;

    public RecordFailedException(String message, Throwable cause, ConsumerRecord<?, ?> record) {
        super(message, cause, record);
    }

    /** The failure of one record that led to an exception as the container hands it over, or null. */
    static @Nullable RecordFailedException in(@Nullable Throwable thrown) {
        return Causes.first(thrown, RecordFailedException.class);
    }
}
