package io.dedup.rocketmq.internal.push;

import io.dedup.adapter.ConsumerGroup;
import io.dedup.adapter.inplace.InPlaceConsumer;
import io.dedup.adapter.inplace.InPlaceConsumer.Answer;
import io.dedup.adapter.inplace.InPlaceRunner;
import io.dedup.rocketmq.internal.listener.ListenerInvoker;
import io.dedup.rocketmq.internal.listener.MessageDeliveries;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.slf4j.LoggerFactory;

/**
 * Runs a push consumer's listener once per message ID. Success means that the effect has happened, now or earlier;
 * everything else is a failure, so that the message is redelivered. In a FIFO group the client itself retries in place,
 * so the claim is released, or the transaction rolled back, before this listener returns.
 */
public final class DedupPushListener implements MessageListener {
    private final InPlaceConsumer consumer;
    private final InPlaceRunner runner;
    private final ListenerInvoker listener;
    private final MessageDeliveries deliveries;

    public DedupPushListener(
            ConsumerGroup group, ListenerInvoker listener, MessageDeliveries deliveries, InPlaceRunner runner) {
        this.consumer = new InPlaceConsumer(group, LoggerFactory.getLogger("io.dedup.rocketmq.RocketMqDedup"));
        this.runner = runner;
        this.listener = listener;
        this.deliveries = deliveries;
    }

    @Override
    public ConsumeResult consume(MessageView message) {
        Answer answer = consumer.handle(
                runner.call(), message.getTopic(), () -> deliveries.of(message), listener.work(message));
        return answer == Answer.ACKNOWLEDGE ? ConsumeResult.SUCCESS : ConsumeResult.FAILURE;
    }
}
