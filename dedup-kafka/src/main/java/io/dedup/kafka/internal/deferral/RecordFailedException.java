package io.dedup.kafka.internal.deferral;

import io.dedup.text.Causes;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.BatchListenerFailedException;
import org.springframework.kafka.listener.ListenerExecutionFailedException;

/**
 * A failure of one record of a batch. An error handler that is retrying a whole poll would recover the whole poll when
 * it gives up, including records that the handler hasn't reached; this exception makes it start again with the failed
 * record.
 */
public final class RecordFailedException extends BatchListenerFailedException {
    private static final long serialVersionUID = 1L;

    public RecordFailedException(String message, Throwable cause, ConsumerRecord<?, ?> record) {
        super(message, thrown(cause), record);
    }

    /** As the container does: what the listener's method has thrown, without the exception that its adapter puts around it. */
    private static Throwable thrown(Throwable cause) {
        return cause instanceof ListenerExecutionFailedException adapter && adapter.getCause() != null
                ? adapter.getCause()
                : cause;
    }

    /** Returns what the container passes on as the direct cause of its exception; null if that names no record for us. */
    static @Nullable RecordFailedException directlyIn(Exception thrown) {
        return thrown instanceof ListenerExecutionFailedException
                        && thrown.getCause() instanceof RecordFailedException named
                ? named
                : null;
    }

    /** Returns the failure of a single record among an exception and its causes; null if there is none. */
    static @Nullable RecordFailedException in(@Nullable Throwable thrown) {
        return Causes.first(thrown, RecordFailedException.class);
    }
}
