package io.dedup.rocketmq;

import io.dedup.engine.Admission;
import io.dedup.engine.ConsumerGroup;
import io.dedup.engine.Delivery;
import io.dedup.engine.Execution;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a push consumer's listener once per message ID. Success means that the effect has happened, now or before; whatever
 * else happens is a failure, so that the message comes again: in a FIFO group from the client itself, which retries in
 * place, so the claim is released before the return.
 */
final class DedupMessageListener implements MessageListener {
    private static final Logger log = LoggerFactory.getLogger(RocketMqDedup.class);

    private final ConsumerGroup group;
    private final Handling handling;
    private final MessageDeliveries deliveries;
    private final Patience patience;

    DedupMessageListener(ConsumerGroup group, Handling handling, MessageDeliveries deliveries, Patience patience) {
        this.group = group;
        this.handling = handling;
        this.deliveries = deliveries;
        this.patience = patience;
    }

    @Override
    public ConsumeResult consume(MessageView message) {
        if (!group.mayRead(message.getTopic())) {
            return ConsumeResult.FAILURE;
        }
        Delivery delivery = deliveries.of(message);
        Admission admission = patience.admit(delivery);
        if (admission instanceof Admission.Run run) {
            return run(message, delivery, run.execution());
        }
        return answer(message, admission);
    }

    private ConsumeResult run(MessageView message, Delivery delivery, Execution execution) {
        return switch (handling.run(message, execution)) {
            case SUCCEEDED -> {
                // Whatever it says: the effect has happened.
                execution.succeed(null, patience.budget(delivery));
                yield ConsumeResult.SUCCESS;
            }
            case FAILED -> ConsumeResult.FAILURE;
            case LOST -> afterLoss(message, delivery);
        };
    }

    /** Whoever took the claim over decides, and the broker's count of attempts isn't theirs: wait for the end first. */
    private ConsumeResult afterLoss(MessageView message, Delivery delivery) {
        Admission admission = patience.admit(delivery);
        if (admission instanceof Admission.Run run) {
            run.execution().giveBack();
            return ConsumeResult.FAILURE;
        }
        return answer(message, admission);
    }

    private static ConsumeResult answer(MessageView message, Admission admission) {
        if (admission instanceof Admission.Reject reject) {
            log.warn("A delivery fails: {}", reject.cause().getMessage());
            return ConsumeResult.FAILURE;
        }
        if (admission instanceof Admission.Defer defer) {
            log.warn(
                    "{} couldn't be decided in time ({}) and costs a delivery attempt",
                    MessageDeliveries.origin(message),
                    defer.reason());
            return ConsumeResult.FAILURE;
        }
        return ConsumeResult.SUCCESS;
    }
}
