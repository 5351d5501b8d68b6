package io.dedup.rocketmq.remoting.internal;

import io.dedup.text.Printable;
import java.time.Duration;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.SendCallback;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.client.producer.SendStatus;
import org.apache.rocketmq.client.utils.MessageUtil;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.remoting.exception.RemotingException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends replies with the producer of a consumer's client. A reply that cannot be sent is logged: its requester doesn't wait long enough
 * for a redelivery, and gets the stored reply when it asks again. Thread-safe.
 */
public final class ReplySender {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.rocketmq.remoting.RemotingDedup");

    private final DefaultMQPushConsumer consumer;
    private final Duration timeout;

    public ReplySender(DefaultMQPushConsumer consumer, Duration timeout) {
        this.consumer = consumer;
        this.timeout = timeout;
    }

    @SuppressWarnings("deprecation") // the client has no other way to its producer
    void send(MessageExt request, byte[] body) {
        String origin = MessageDeliveries.origin(request);
        try {
            DefaultMQProducer producer =
                    consumer.getDefaultMQPushConsumerImpl().getmQClientFactory().getDefaultMQProducer();
            producer.send(MessageUtil.createReplyMessage(request, body), new Logging(origin), timeout.toMillis());
        } catch (MQClientException | RemotingException | RuntimeException e) {
            failed(origin, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            failed(origin, e);
        }
    }

    private static void failed(String origin, Throwable e) {
        log.error("Cannot send the reply to the request in {}: {}", origin, Printable.ofException(e));
        log.debug("Cannot send the reply to the request in {}", origin, e);
    }

    private record Logging(String origin) implements SendCallback {
        @Override
        public void onSuccess(SendResult result) {
            if (result.getSendStatus() != SendStatus.SEND_OK) {
                log.error("Cannot send the reply to the request in {}: {}", origin, result.getSendStatus());
            }
        }

        @Override
        public void onException(Throwable e) {
            failed(origin, e);
        }
    }
}
