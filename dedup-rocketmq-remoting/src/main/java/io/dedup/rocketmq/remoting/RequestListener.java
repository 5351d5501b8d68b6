package io.dedup.rocketmq.remoting;

import java.time.Duration;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyContext;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.common.message.MessageExt;
import org.jspecify.annotations.Nullable;

/**
 * Handles requests, which {@link DefaultMQProducer#request} sends, and returns the replies. See
 * {@link RemotingDedup#decorate(org.apache.rocketmq.client.consumer.DefaultMQPushConsumer, RequestListener)}. Must be thread-safe.
 */
public interface RequestListener {
    /**
     * Handles one request. When it returns, its effect has happened.
     *
     * @return the body of the reply; null for none. It isn't copied
     * @throws Exception when the effect hasn't happened; the request is redelivered
     */
    byte @Nullable [] reply(MessageExt request) throws Exception;

    /** How long sending a reply may take; the client's default of 3 s by default. */
    default Duration replyTimeout() {
        return Duration.ofSeconds(3);
    }

    /** The delay level after a failure; see {@link ConsumeConcurrentlyContext#setDelayLevelWhenNextConsume}. */
    default int delayLevelWhenNextConsume() {
        return 0;
    }

    /** How many milliseconds a failure suspends a queue; see {@link ConsumeOrderlyContext#setSuspendCurrentQueueTimeMillis}. */
    default long suspendCurrentQueueTimeMillis() {
        return -1;
    }
}
