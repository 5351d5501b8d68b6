package io.dedup.rocketmq.internal.listener;

import io.dedup.adapter.Work;
import io.dedup.adapter.inplace.LoggedWork;
import io.dedup.adapter.inplace.ReportedFailureException;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls the user's listener, and logs what it throws. Thread-safe. */
public final class ListenerInvoker {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.rocketmq.RocketMqDedup");

    private final MessageHandler handler;

    public ListenerInvoker(MessageHandler handler) {
        this.handler = handler;
    }

    /**
     * The listener's run with a message. It throws for every result except success, including null, so that a
     * transaction rolls back.
     */
    public Work work(MessageView message) {
        return new LoggedWork(log, () -> MessageDeliveries.origin(message), execution -> {
            ConsumeResult result = handler.consume(message, execution);
            if (!ConsumeResult.SUCCESS.equals(result)) {
                throw new ReportedFailureException("the listener returned " + result);
            }
            return null;
        });
    }
}
