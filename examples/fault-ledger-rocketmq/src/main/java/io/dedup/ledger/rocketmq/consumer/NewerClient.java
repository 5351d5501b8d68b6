package io.dedup.ledger.rocketmq.consumer;

import io.dedup.ledger.plan.Message;
import io.dedup.ledger.rocketmq.plan.ClientKind;
import io.dedup.rocketmq.RocketMqDedup;
import io.dedup.rocketmq.RocketMqMessageIds;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.apache.rocketmq.client.apis.ClientConfiguration;
import org.apache.rocketmq.client.apis.ClientException;
import org.apache.rocketmq.client.apis.ClientServiceProvider;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.consumer.FilterExpression;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.apache.rocketmq.client.apis.consumer.SimpleConsumer;
import org.apache.rocketmq.client.apis.message.MessageView;

/** A row's consumer with the client that talks to a proxy. */
final class NewerClient {
    private static final ClientServiceProvider CLIENT = ClientServiceProvider.loadService();
    private static final Duration AWAIT = Duration.ofSeconds(1);
    private static final Duration RETRY = Duration.ofMillis(200);
    private static final Duration REQUEST =
            Duration.ofSeconds(10); // the client's default of 3 s is short for a busy machine

    private final RowParts parts;
    private final ClientConfiguration configuration;

    NewerClient(RowParts parts, String endpoints) {
        this.parts = parts;
        this.configuration = ClientConfiguration.newBuilder()
                .setEndpoints(endpoints)
                .enableSsl(false)
                .setRequestTimeout(REQUEST)
                .build();
    }

    void start() throws ClientException {
        ClientKind kind = parts.row.client();
        if (kind == ClientKind.SIMPLE || kind == ClientKind.SIMPLE_GROUPS) {
            simple();
        } else {
            push();
        }
    }

    private void push() throws ClientException {
        RocketMqDedup dedup = parts.dedup()
                .map(deduplicator -> RocketMqDedup.builder(deduplicator)
                        .id(RocketMqMessageIds.property("id"))
                        .build())
                .orElse(null);
        MessageListener listener = dedup == null
                ? message -> handle(message, 0)
                : dedup.decorate(parts.group, (message, context) -> handle(message, context.attempt()));
        parts.closing(CLIENT.newPushConsumerBuilder()
                .setClientConfiguration(configuration)
                .setConsumerGroup(parts.group)
                .setSubscriptionExpressions(Map.of(parts.topic, FilterExpression.SUB_ALL))
                .setConsumptionThreadCount(parts.circumstances.threads())
                .setMessageListener(message -> {
                    ConsumeResult result = listener.consume(message);
                    if (result == ConsumeResult.SUCCESS) {
                        parts.acknowledgments.count(message.getMessageId().toString(), 0);
                    }
                    return result;
                })
                .build());
        if (dedup != null) {
            parts.closing(dedup);
        }
    }

    private ConsumeResult handle(MessageView message, int attempt) {
        String id = message.getProperties().getOrDefault("id", "none");
        String value = StandardCharsets.UTF_8.decode(message.getBody()).toString();
        parts.handler.run(Message.of(id, value), attempt);
        return ConsumeResult.SUCCESS;
    }

    private void simple() throws ClientException {
        SimpleConsumer consumer = parts.closing(CLIENT.newSimpleConsumerBuilder()
                .setClientConfiguration(configuration)
                .setConsumerGroup(parts.group)
                .setSubscriptionExpressions(Map.of(parts.topic, FilterExpression.SUB_ALL))
                .setAwaitDuration(AWAIT)
                .build());
        SimpleConsumer counting = CountedAcks.of(consumer, parts.acknowledgments);
        if (parts.dedup().isEmpty()) {
            parts.closing(new PlainLoop(counting, parts.circumstances, message -> handle(message, 0)));
            return;
        }
        RocketMqDedup dedup = RocketMqDedup.builder(parts.dedup().get())
                .id(RocketMqMessageIds.property("id"))
                .build();
        parts.closing(dedup.loop(counting, (message, context) -> handle(message, context.attempt()))
                .concurrency(parts.circumstances.threads())
                .batchSize(parts.circumstances.batch())
                .invisibleDuration(parts.circumstances.invisible())
                .retryDelay(attempt -> RETRY)
                .shutdownTimeout(Duration.ofSeconds(10))
                .start());
        parts.closing(dedup);
    }
}
