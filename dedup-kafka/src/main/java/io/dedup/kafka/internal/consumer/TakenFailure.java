package io.dedup.kafka.internal.consumer;

import io.dedup.kafka.internal.KafkaLog;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.listener.BatchListenerFailedException;
import org.springframework.kafka.listener.ListenerExecutionFailedException;

/**
 * What the listener's method has thrown during a call of the listener. If the call returns all the same, something between the two has
 * taken the failure. Used by the consumer's thread.
 */
public final class TakenFailure {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);

    private @Nullable Throwable first;
    private @Nullable ConsumerRecord<?, ?> record;
    private String taker = "";
    private boolean warned;

    /** A call of the listener begins. */
    public void begin() {
        first = null;
        record = null;
    }

    /**
     * The method has failed.
     *
     * @param given the record that it was called with; null if it was a batch
     * @param by who may take the failure
     */
    public void threw(Throwable failure, @Nullable ConsumerRecord<?, ?> given, String by) {
        if (first == null) {
            first = failure;
            record = given;
            taker = by;
        }
    }

    /**
     * The call has returned, within a transaction.
     *
     * @param batch whether the listener was called with a batch, of which the failure is that of one record if it is known
     * @throws RuntimeException when the method had failed: a commit would include what it has written until then
     */
    public void requireNone(boolean batch) {
        if (first != null) {
            String message =
                    "The listener's method has failed, and " + taker + " has taken the failure, in a transaction:"
                            + " rolled back, since a commit would include what the method had written. Let the failure reach the container:"
                            + " throw it from a KafkaListenerErrorHandler and from the recoverer of a BatchToRecordAdapter, and put"
                            + " messages aside in the recoverer of the container's error handler or afterRollbackProcessor";
            throw batch && record != null
                    ? new BatchListenerFailedException(message, first, record)
                    : new ListenerExecutionFailedException(message, first);
        }
    }

    /** The call has returned, without a transaction: its records count as handled. */
    public void warn() {
        if (first != null && !warned) {
            warned = true;
            log.warn(
                    "A listener's method has failed, and {} has taken the failure, so that the message counts as handled: a copy of it, such"
                            + " as a replay of its dead letter, is a duplicate. This is logged once for each consumer",
                    taker,
                    first);
        }
    }
}
