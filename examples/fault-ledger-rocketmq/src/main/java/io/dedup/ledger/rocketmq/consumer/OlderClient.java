package io.dedup.ledger.rocketmq.consumer;

import io.dedup.ledger.plan.Message;
import io.dedup.ledger.rocketmq.plan.ClientKind;
import io.dedup.rocketmq.remoting.RemotingDedup;
import io.dedup.rocketmq.remoting.RemotingMessageIds;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.consumer.listener.MessageListenerOrderly;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.MessageClientIDSetter;
import org.apache.rocketmq.common.message.MessageExt;

/** A row's consumer with the client that talks to name server and brokers itself. */
final class OlderClient {
    /** Consumers with one name share their connections; each process uses another name. */
    private static final String INSTANCE = UUID.randomUUID().toString();

    private static final int ONE_SECOND = 1; // the broker's first delay level
    private static final int SUSPEND_MILLIS = 100;
    private static final int REQUEST_MILLIS = 10_000; // the client's default of 3 s is short for a busy machine
    private static final int ROUTE_MILLIS = 1_000;
    private static final int SHUTDOWN_MILLIS = 10_000;

    private final RowParts parts;
    private final String nameServer;

    OlderClient(RowParts parts, String nameServer) {
        this.parts = parts;
        this.nameServer = nameServer;
    }

    void start() throws MQClientException {
        DefaultMQPushConsumer consumer = new DefaultMQPushConsumer(parts.group);
        consumer.setNamesrvAddr(nameServer);
        consumer.setInstanceName(INSTANCE);
        consumer.setMqClientApiTimeout(REQUEST_MILLIS);
        consumer.setPollNameServerInterval(ROUTE_MILLIS);
        consumer.setHeartbeatBrokerInterval(ROUTE_MILLIS);
        consumer.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
        consumer.setConsumeThreadMin(parts.circumstances.threads());
        consumer.setConsumeThreadMax(parts.circumstances.threads());
        consumer.setMaxReconsumeTimes(Assignment.MAX_RETRIES);
        consumer.setSuspendCurrentQueueTimeMillis(SUSPEND_MILLIS);
        consumer.setConsumeMessageBatchMaxSize(parts.circumstances.batch());
        consumer.setAwaitTerminationMillisWhenShutdown(SHUTDOWN_MILLIS);
        consumer.subscribe(parts.topic, "*");
        boolean orderly = parts.row.client() == ClientKind.REMOTING_ORDERLY;
        if (orderly) {
            consumer.registerMessageListener((MessageListenerOrderly) (messages, context) -> {
                messages.forEach(this::handle);
                return ConsumeOrderlyStatus.SUCCESS;
            });
        } else {
            consumer.registerMessageListener((MessageListenerConcurrently) (messages, context) -> {
                context.setDelayLevelWhenNextConsume(ONE_SECOND);
                messages.forEach(this::handle);
                return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
            });
        }
        RemotingDedup dedup = parts.dedup()
                .map(deduplicator -> RemotingDedup.builder(deduplicator)
                        .id(RemotingMessageIds.property("id"))
                        .build())
                .orElse(null);
        if (dedup != null) {
            dedup.decorate(consumer);
        }
        if (orderly) {
            consumer.registerMessageListener(countingOrderly((MessageListenerOrderly) consumer.getMessageListener()));
        } else {
            consumer.registerMessageListener(
                    countingConcurrently((MessageListenerConcurrently) consumer.getMessageListener()));
        }
        parts.closing(consumer::shutdown);
        consumer.start();
        if (dedup != null) {
            parts.closing(dedup);
        }
    }

    /** Listeners of this client don't get the attempt. */
    private void handle(MessageExt message) {
        String value = new String(message.getBody(), StandardCharsets.UTF_8);
        parts.handler.run(Message.of(message.getProperty("id"), value), 0);
    }

    private MessageListenerOrderly countingOrderly(MessageListenerOrderly listener) {
        return (messages, context) -> {
            ConsumeOrderlyStatus status = listener.consumeMessage(messages, context);
            if (status == ConsumeOrderlyStatus.SUCCESS) {
                acknowledge(messages);
            }
            return status;
        };
    }

    private MessageListenerConcurrently countingConcurrently(MessageListenerConcurrently listener) {
        return (messages, context) -> {
            ConsumeConcurrentlyStatus status = listener.consumeMessage(messages, context);
            if (status == ConsumeConcurrentlyStatus.CONSUME_SUCCESS) {
                // The client sends the messages behind this index back to the broker.
                int end = context.getAckIndex() >= messages.size() ? messages.size() : context.getAckIndex() + 1;
                acknowledge(messages.subList(0, end));
            }
            return status;
        };
    }

    private void acknowledge(List<MessageExt> messages) {
        for (MessageExt message : messages) {
            parts.acknowledgments.count(MessageClientIDSetter.getUniqID(message), 0);
        }
    }
}
