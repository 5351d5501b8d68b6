package io.dedup.rocketmq.remoting.internal;

import io.dedup.adapter.inplace.InPlaceConsumer.Answer;
import io.dedup.adapter.inplace.InPlaceRunner;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyContext;
import org.apache.rocketmq.common.message.MessageExt;

/** Handles one message of a consumer that keeps the order of its queues. Thread-safe. */
@FunctionalInterface
public interface OrderlyHandler {
    /**
     * Runs the user's listener with the message, or doesn't.
     *
     * @param own the context for this message, which keeps how long its queue is suspended
     */
    Answer handle(MessageExt message, InPlaceRunner.Call call, ConsumeOrderlyContext own);
}
