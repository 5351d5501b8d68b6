package io.dedup.rocketmq;

import io.dedup.engine.Execution;
import io.dedup.internal.Printable;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs a handler under its claim, and releases the claim before anybody else hears of a failure. Thread-safe. */
final class Handling {
    private static final Logger log = LoggerFactory.getLogger(RocketMqDedup.class);

    /** How it ended. */
    enum End {
        /** The effect has happened; the execution is still open. */
        SUCCEEDED,
        /** Released. */
        FAILED,
        /** Failed without its claim: somebody else may be running the message. */
        LOST
    }

    private final ContextMessageListener listener;

    Handling(ContextMessageListener listener) {
        this.listener = listener;
    }

    End run(MessageView message, Execution execution) {
        execution.begin();
        @Nullable ConsumeResult result;
        try {
            result = listener.consume(message, execution);
        } catch (Throwable e) { // Errors, too: a claim that nobody releases holds the message for its lease
            End end = failed(execution, e); // before anything else can fail
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            tell(message, e);
            return end;
        }
        if (ConsumeResult.SUCCESS.equals(result)) {
            return End.SUCCEEDED;
        }
        return failed(execution, new IllegalStateException("the listener returned " + result)); // null, too
    }

    private static End failed(Execution execution, Throwable cause) {
        return execution.fail(cause) ? End.LOST : End.FAILED;
    }

    private static void tell(MessageView message, Throwable e) {
        try {
            String origin = MessageDeliveries.origin(message);
            log.warn("The listener failed for {}: {}", origin, Printable.ofException(e)); // may quote the payload
            log.debug("The listener failed for {}", origin, e);
        } catch (RuntimeException | Error unprintable) {
            log.warn("The listener failed with a {}", e.getClass().getName());
        }
    }
}
