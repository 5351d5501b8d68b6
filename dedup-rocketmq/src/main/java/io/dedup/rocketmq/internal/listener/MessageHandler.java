package io.dedup.rocketmq.internal.listener;

import io.dedup.DedupContext;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.jspecify.annotations.Nullable;

/** The user's listener, of whatever type. */
@FunctionalInterface
public interface MessageHandler {
    /** Handles a message; every result except {@link ConsumeResult#SUCCESS} is a failure. */
    @Nullable
    ConsumeResult consume(MessageView message, DedupContext context) throws Exception;
}
