package io.dedup.kafka.exception;

import io.dedup.DedupException;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A request was handled, and its reply couldn't be sent. The error handler's retries send it again, without calling the
 * handler: the message is done, and its reply is kept.
 */
public final class ReplyFailedException extends DedupException {
    private static final long serialVersionUID = 1L;

    public ReplyFailedException(ConsumerRecord<?, ?> record, Throwable cause) {
        super(
                "topic " + record.topic() + ", partition " + record.partition() + ", offset " + record.offset()
                        + ": the request was handled, but its reply couldn't be sent",
                cause);
    }
}
