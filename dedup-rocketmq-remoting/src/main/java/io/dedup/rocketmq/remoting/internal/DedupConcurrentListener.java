package io.dedup.rocketmq.remoting.internal;

import io.dedup.adapter.inplace.InPlaceConsumer.Answer;
import io.dedup.adapter.inplace.InPlaceRunner;
import io.dedup.adapter.inplace.ReportedFailureException;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.common.MixAll;
import org.apache.rocketmq.common.message.MessageConst;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;
import org.jspecify.annotations.Nullable;

/**
 * Runs a listener once per message ID, message by message. The client acknowledges a batch up to an index and sends the
 * rest back, so it gets the index of the first message that isn't done. The messages behind it are handled
 * nevertheless: otherwise a message that keeps failing would take them to the dead-letter queue without their having
 * been handled. They are redelivered as duplicates. Those that wouldn't be recognized then aren't handled.
 */
public final class DedupConcurrentListener implements MessageListenerConcurrently {
    /** Where the broker finds no message. */
    private static final long NOWHERE = -1;

    private final ConcurrentHandler handler;
    private final Predicate<MessageExt> unrecorded;
    private final InPlaceRunner waits;
    private final Duration longestWait;

    /**
     * A listener that passes each message to the handler.
     *
     * @param unrecorded whether a message would be run again each time it comes
     * @param longestWait of all messages of a call together
     */
    public DedupConcurrentListener(
            ConcurrentHandler handler, Predicate<MessageExt> unrecorded, InPlaceRunner waits, Duration longestWait) {
        this.handler = handler;
        this.unrecorded = unrecorded;
        this.waits = waits;
        this.longestWait = longestWait;
    }

    /** A listener that passes each message to the user's listener. */
    public static DedupConcurrentListener of(
            MessageListenerConcurrently listener, MessageRunner runner, InPlaceRunner waits, Duration longestWait) {
        return new DedupConcurrentListener(
                (message, call, own) -> runner.handle(message, call, () -> run(listener, message, own)),
                runner::isUnrecorded,
                waits,
                longestWait);
    }

    @Override
    public ConsumeConcurrentlyStatus consumeMessage(List<MessageExt> messages, ConsumeConcurrentlyContext context) {
        try {
            return consume(messages, context);
        } finally {
            Interrupts.clear();
        }
    }

    private ConsumeConcurrentlyStatus consume(List<MessageExt> messages, ConsumeConcurrentlyContext context) {
        keepTopic(messages, context.getMessageQueue());
        InPlaceRunner.Call call = waits.call(longestWait);
        SendBack sendBack = new SendBack(messages.size());
        for (int i = 0; i < messages.size(); i++) {
            MessageExt message = messages.get(i);
            if (sendBack.hasFailure() && unrecorded.test(message)) {
                sendBack.failed(i, SendBack.BY_BROKER);
                continue;
            }
            ConsumeConcurrentlyContext own = new ConsumeConcurrentlyContext(context.getMessageQueue());
            own.setDelayLevelWhenNextConsume(context.getDelayLevelWhenNextConsume());
            Answer answer = handler.handle(message, call, own);
            if (answer == Answer.ACKNOWLEDGE) {
                sendBack.done();
            } else {
                sendBack.failed(i, level(answer, message, context, own));
            }
        }
        return sendBack.answer(context);
    }

    /**
     * A message that an application has consumed and sent on may carry the topic of its former retries. The broker keeps that when the
     * message is sent back, so that it would come again in another topic, and with it in another scope. What the broker doesn't find is
     * sent to the retry topic by the client itself, with the topic that it has here. This must be so before the handler runs, because
     * after consumeTimeout the client sends the message back meanwhile.
     */
    private static void keepTopic(List<MessageExt> messages, @Nullable MessageQueue queue) {
        if (queue == null || queue.getTopic().startsWith(MixAll.RETRY_GROUP_TOPIC_PREFIX)) {
            return;
        }
        for (MessageExt message : messages) {
            String former = message.getProperty(MessageConst.PROPERTY_RETRY_TOPIC);
            if (former != null && !former.equals(queue.getTopic())) {
                message.setCommitLogOffset(NOWHERE);
            }
        }
    }

    /** A deferral has the consumer's delay: what the listener set for its failures may be "to the dead-letter queue". */
    private static int level(
            Answer answer, MessageExt message, ConsumeConcurrentlyContext context, ConsumeConcurrentlyContext own) {
        return switch (answer) {
            case REJECT -> hopeless(message);
            case DEFER -> context.getDelayLevelWhenNextConsume();
            default -> own.getDelayLevelWhenNextConsume();
        };
    }

    private static void run(MessageListenerConcurrently listener, MessageExt message, ConsumeConcurrentlyContext own)
            throws ReportedFailureException {
        ConsumeConcurrentlyStatus status = listener.consumeMessage(List.of(message), own);
        if (status != ConsumeConcurrentlyStatus.CONSUME_SUCCESS) {
            throw new ReportedFailureException("the listener returned " + status); // null, too
        }
        if (own.getAckIndex() < 0) {
            throw new ReportedFailureException("the listener set ackIndex to " + own.getAckIndex());
        }
    }

    /**
     * Sends the message straight to the dead-letter queue, except with a client that pops its messages, which doesn't
     * support that level.
     */
    private static int hopeless(MessageExt message) {
        return message.getProperty(MessageConst.PROPERTY_POP_CK) == null ? SendBack.DEAD_LETTER : SendBack.BY_BROKER;
    }
}
