package io.dedup.kafka.exception;

import io.dedup.DedupException;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A request was handled, but its reply couldn't be sent. When the error handler retries the record, the stored reply is
 * sent again without calling the handler. In a Kafka transaction, which is rolled back, the handler is called again.
 */
public final class ReplyFailedException extends DedupException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception for a request.
     *
     * @param record the request
     * @param cause why it couldn't be made or sent
     */
    public ReplyFailedException(ConsumerRecord<?, ?> record, Throwable cause) {
        super(
                "The request in topic " + record.topic() + ", partition " + record.partition() + ", offset "
                        + record.offset() + " was handled, but its reply couldn't be sent",
                cause);
    }
}
