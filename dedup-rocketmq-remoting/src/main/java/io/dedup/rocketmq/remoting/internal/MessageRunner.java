package io.dedup.rocketmq.remoting.internal;

import io.dedup.adapter.ConsumerGroup;
import io.dedup.adapter.inplace.InPlaceConsumer;
import io.dedup.adapter.inplace.InPlaceConsumer.Answer;
import io.dedup.adapter.inplace.InPlaceRunner;
import io.dedup.adapter.inplace.LoggedWork;
import org.apache.rocketmq.common.message.MessageExt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs a listener with one message under a claim or in a transaction, or skips it. Thread-safe. */
public final class MessageRunner {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.rocketmq.remoting.RemotingDedup");

    /** The user's listener with one message. */
    @FunctionalInterface
    interface Handler {
        /** @throws Exception when the effect hasn't happened */
        void run() throws Exception;
    }

    private final InPlaceConsumer consumer;
    private final MessageDeliveries deliveries;

    public MessageRunner(ConsumerGroup group, MessageDeliveries deliveries) {
        this.consumer = new InPlaceConsumer(group, log);
        this.deliveries = deliveries;
    }

    boolean isUnrecorded(MessageExt message) {
        return deliveries.isUnrecorded(message);
    }

    Answer handle(MessageExt message, InPlaceRunner.Call call, Handler handler) {
        return consumer.handle(
                call,
                message.getTopic(),
                () -> deliveries.of(message),
                new LoggedWork(log, () -> MessageDeliveries.origin(message), execution -> {
                    handler.run();
                    return null;
                }));
    }
}
