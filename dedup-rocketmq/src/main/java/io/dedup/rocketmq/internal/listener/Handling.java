package io.dedup.rocketmq.internal.listener;

import io.dedup.engine.Execution;
import io.dedup.engine.Work;
import io.dedup.internal.Printable;
import io.dedup.rocketmq.ContextMessageListener;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs a listener, and releases its claim, or rolls back, before anybody else hears of a failure. Thread-safe. */
public final class Handling {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.rocketmq.RocketMqDedup");

    /** How it ended. */
    public enum End {
        /** The effect has happened; the execution is still open. */
        SUCCEEDED,
        /** Released. */
        FAILED,
        /** Failed without its claim: somebody else may be running the message. */
        LOST
    }

    private final ContextMessageListener listener;

    public Handling(ContextMessageListener listener) {
        this.listener = listener;
    }

    /** The listener's run with a message. It throws for whatever isn't success, null too: a transaction rolls back then. */
    public Work work(MessageView message) {
        return execution -> {
            @Nullable ConsumeResult result;
            try {
                result = listener.consume(message, execution);
            } catch (Throwable e) {
                tell(message, e);
                throw e;
            }
            if (!ConsumeResult.SUCCESS.equals(result)) {
                throw new NotHandledException(result);
            }
            return null;
        };
    }

    /** Runs it under a claim alone. */
    public End run(MessageView message, Execution execution) {
        execution.begin();
        try {
            work(message).run(execution);
            return End.SUCCEEDED;
        } catch (Throwable e) { // Errors, too: a claim that nobody releases holds the message for its lease
            End end = execution.fail(e) ? End.LOST : End.FAILED; // before anything else can fail
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            return end;
        }
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
