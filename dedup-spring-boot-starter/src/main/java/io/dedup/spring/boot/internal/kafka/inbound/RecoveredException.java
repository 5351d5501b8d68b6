package io.dedup.spring.boot.internal.kafka.inbound;

import io.dedup.text.Causes;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.BatchListenerFailedException;

/**
 * The handler failed, and the error handling of the flow has taken the message: it has sent it to a dead-letter topic or to an error
 * channel. The claim is released, and the offset is committed. Never reaches an application.
 */
final class RecoveredException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * The failure of a listener.
     *
     * @param failure of the flow; of a batch, it may name the record that failed, so that those before it are done
     */
    RecoveredException(String listener, @Nullable Throwable failure) {
        super(
                "The error handling of " + listener + " has taken the failed message",
                Causes.first(failure, BatchListenerFailedException.class),
                false,
                false);
    }
}
