package io.dedup.rocketmq.remoting.internal;

import io.dedup.adapter.inplace.InPlaceConsumer.Answer;
import io.dedup.adapter.inplace.InPlaceRunner;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyContext;
import org.apache.rocketmq.common.message.MessageExt;

/** Handles one message of a consumer that keeps no order. Thread-safe. */
@FunctionalInterface
public interface ConcurrentHandler {
    /**
     * Runs the user's listener with the message, or doesn't.
     *
     * @param own the context for this message, which keeps the delay of the next attempt
     */
    Answer handle(MessageExt message, InPlaceRunner.Call call, ConsumeConcurrentlyContext own);
}
