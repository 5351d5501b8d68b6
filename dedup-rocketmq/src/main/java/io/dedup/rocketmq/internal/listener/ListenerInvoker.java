package io.dedup.rocketmq.internal.listener;

import io.dedup.adapter.Work;
import io.dedup.text.Printable;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls the user's listener, and logs what it throws. Thread-safe. */
public final class ListenerInvoker {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.rocketmq.RocketMqDedup");

    private final MessageHandler handler;

    public ListenerInvoker(MessageHandler handler) {
        this.handler = handler;
    }

    /** The listener's run with a message. It throws for whatever isn't success, null too: a transaction rolls back then. */
    public Work work(MessageView message) {
        return execution -> {
            @Nullable ConsumeResult result;
            try {
                result = handler.consume(message, execution);
            } catch (Throwable e) {
                logFailure(message, e);
                throw e;
            }
            if (!ConsumeResult.SUCCESS.equals(result)) {
                throw new ReportedFailureException(result);
            }
            return null;
        };
    }

    private static void logFailure(MessageView message, Throwable e) {
        try {
            String origin = MessageDeliveries.origin(message);
            log.warn("The listener failed for {}: {}", origin, Printable.ofException(e)); // may quote the payload
            log.debug("The listener failed for {}", origin, e);
        } catch (RuntimeException | Error unprintable) {
            log.warn("The listener failed with a {}", e.getClass().getName());
        }
    }
}
