package io.dedup.rocketmq;

import io.dedup.DedupContext;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.apache.rocketmq.client.apis.message.MessageView;

/** A {@link MessageListener} that also gets the context of its run: the attempt, the fencing token, the lease. */
@FunctionalInterface
public interface ContextMessageListener {

    /**
     * Handles a message. Called from several threads at once.
     *
     * @return whether the effect has happened; null counts as a failure
     * @throws Exception when it hasn't; counts as {@link ConsumeResult#FAILURE}
     */
    ConsumeResult consume(MessageView message, DedupContext context) throws Exception;
}
