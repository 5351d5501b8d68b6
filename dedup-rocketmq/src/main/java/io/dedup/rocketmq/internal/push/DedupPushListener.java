package io.dedup.rocketmq.internal.push;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.adapter.Admission;
import io.dedup.adapter.ConsumerGroup;
import io.dedup.adapter.InPlaceRunner;
import io.dedup.adapter.RunEnd;
import io.dedup.rocketmq.internal.listener.ListenerInvoker;
import io.dedup.rocketmq.internal.listener.MessageDeliveries;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a push consumer's listener once per message ID. Success means that the effect has happened, now or before; whatever
 * else happens is a failure, so that the message is redelivered: in a FIFO group by the client itself, which retries in
 * place, so the claim is released, or the transaction rolled back, before the return.
 */
public final class DedupPushListener implements MessageListener {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.rocketmq.RocketMqDedup");

    private final ConsumerGroup group;
    private final ListenerInvoker listener;
    private final MessageDeliveries deliveries;
    private final InPlaceRunner patience;

    public DedupPushListener(
            ConsumerGroup group, ListenerInvoker listener, MessageDeliveries deliveries, InPlaceRunner patience) {
        this.group = group;
        this.listener = listener;
        this.deliveries = deliveries;
        this.patience = patience;
    }

    @Override
    public ConsumeResult consume(MessageView message) {
        if (!group.mayRead(message.getTopic())) {
            return ConsumeResult.FAILURE;
        }
        RunEnd end = patience.call().run(deliveries.of(message), listener.work(message));
        if (end instanceof RunEnd.NotRun notRun) {
            return answer(message, notRun.admission());
        }
        return end instanceof RunEnd.Handled ? ConsumeResult.SUCCESS : ConsumeResult.FAILURE;
    }

    private static ConsumeResult answer(MessageView message, Admission admission) {
        if (admission instanceof Admission.Reject reject) {
            log.warn("A delivery fails: {}", reject.cause().getMessage());
            return ConsumeResult.FAILURE;
        }
        if (admission instanceof Admission.Defer defer) {
            log.warn(
                    "{} couldn't be decided in time ({}{}) and costs a delivery attempt",
                    MessageDeliveries.origin(message),
                    defer.reason(),
                    defer.reason() == DeferReason.CLOSED ? ": close consumers before their Deduplicator" : "");
            return ConsumeResult.FAILURE;
        }
        return ConsumeResult.SUCCESS;
    }
}
