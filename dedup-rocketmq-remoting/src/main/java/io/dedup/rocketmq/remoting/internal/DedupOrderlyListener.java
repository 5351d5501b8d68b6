package io.dedup.rocketmq.remoting.internal;

import io.dedup.adapter.inplace.InPlaceConsumer.Answer;
import io.dedup.adapter.inplace.InPlaceRunner;
import io.dedup.adapter.inplace.ReportedFailureException;
import java.time.Duration;
import java.util.List;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerOrderly;
import org.apache.rocketmq.common.message.MessageExt;

/**
 * Runs a listener once per message ID, message by message, up to the first that isn't done. The client acknowledges
 * either all of a batch or nothing, so the messages before it are redelivered with it, as duplicates.
 */
public final class DedupOrderlyListener implements MessageListenerOrderly {
    private final OrderlyHandler handler;
    private final InPlaceRunner waits;
    private final Duration longestWait;

    /**
     * A listener that passes each message to the handler.
     *
     * @param longestWait of all messages of a call together
     */
    public DedupOrderlyListener(OrderlyHandler handler, InPlaceRunner waits, Duration longestWait) {
        this.handler = handler;
        this.waits = waits;
        this.longestWait = longestWait;
    }

    /** A listener that passes each message to the user's listener. */
    public static DedupOrderlyListener of(
            MessageListenerOrderly listener, MessageRunner runner, InPlaceRunner waits, Duration longestWait) {
        return new DedupOrderlyListener(
                (message, call, own) -> runner.handle(message, call, () -> run(listener, message, own)),
                waits,
                longestWait);
    }

    @Override
    public ConsumeOrderlyStatus consumeMessage(List<MessageExt> messages, ConsumeOrderlyContext context) {
        try {
            return consume(messages, context);
        } finally {
            Interrupts.clear();
        }
    }

    private ConsumeOrderlyStatus consume(List<MessageExt> messages, ConsumeOrderlyContext context) {
        InPlaceRunner.Call call = waits.call(longestWait);
        for (MessageExt message : messages) {
            AutoCommitContext own = new AutoCommitContext(context);
            Answer answer = handler.handle(message, call, own);
            if (answer == Answer.DEFER) {
                return deferred(messages);
            }
            if (answer != Answer.ACKNOWLEDGE) {
                context.setSuspendCurrentQueueTimeMillis(own.getSuspendCurrentQueueTimeMillis());
                return ConsumeOrderlyStatus.SUSPEND_CURRENT_QUEUE_A_MOMENT;
            }
        }
        return ConsumeOrderlyStatus.SUCCESS;
    }

    /**
     * The client counts an attempt for each message of a suspended batch, and dead-letters those at maxReconsumeTimes. A
     * deferral isn't an attempt, so the number that the client is about to raise is lowered first. It is the client's own
     * number: the broker doesn't know it.
     */
    private static ConsumeOrderlyStatus deferred(List<MessageExt> messages) {
        messages.forEach(message -> message.setReconsumeTimes(message.getReconsumeTimes() - 1));
        return ConsumeOrderlyStatus.SUSPEND_CURRENT_QUEUE_A_MOMENT;
    }

    @SuppressWarnings(
            "deprecation") // the client takes both COMMIT and ROLLBACK for SUCCESS; here ROLLBACK is a failure
    private static void run(MessageListenerOrderly listener, MessageExt message, ConsumeOrderlyContext own)
            throws ReportedFailureException {
        ConsumeOrderlyStatus status = listener.consumeMessage(List.of(message), own);
        if (status != ConsumeOrderlyStatus.SUCCESS && status != ConsumeOrderlyStatus.COMMIT) {
            throw new ReportedFailureException("the listener returned " + status); // null, too
        }
    }

    /** Without automatic commits, SUCCESS would have no effect until a later message's COMMIT or ROLLBACK. */
    private static final class AutoCommitContext extends ConsumeOrderlyContext {
        private AutoCommitContext(ConsumeOrderlyContext context) {
            super(context.getMessageQueue());
            super.setSuspendCurrentQueueTimeMillis(context.getSuspendCurrentQueueTimeMillis());
        }

        @Override
        public void setAutoCommit(boolean autoCommit) {
            if (!autoCommit) {
                throw new IllegalStateException(
                        "autoCommit must stay true in a decorated listener: messages with SUCCESS are recorded"
                                + " as done at once, and wouldn't be handled again after a ROLLBACK");
            }
        }
    }
}
