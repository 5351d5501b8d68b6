package io.dedup.failover.rocketmq;

import io.dedup.failover.load.Closeables;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.rocketmq.client.apis.ClientConfiguration;
import org.apache.rocketmq.client.apis.ClientException;
import org.apache.rocketmq.client.apis.ClientServiceProvider;
import org.apache.rocketmq.client.apis.consumer.FilterExpression;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.apache.rocketmq.client.apis.producer.Producer;

/** RocketMQ's clients: a producer, and push consumers. Closing it ends them. */
final class Clients implements AutoCloseable {
    static final String TOPIC = "failover";
    static final String GROUP = "failover";

    /** The property that has the business ID. */
    static final String ID = "id";

    private final Closeables open = new Closeables();
    private final ClientServiceProvider provider = ClientServiceProvider.loadService();
    private final ClientConfiguration configuration;
    private final Producer producer;

    Clients(String endpoints) throws ClientException {
        configuration = ClientConfiguration.newBuilder()
                .setEndpoints(endpoints)
                .enableSsl(false)
                .build();
        producer = open.add(provider.newProducerBuilder()
                .setClientConfiguration(configuration)
                .setTopics(TOPIC)
                .build());
    }

    /** Completes when the broker has confirmed it. */
    CompletableFuture<?> send(String id) {
        try {
            return producer.sendAsync(provider.newMessageBuilder()
                    .setTopic(TOPIC)
                    .addProperty(ID, id)
                    .setBody(id.getBytes(StandardCharsets.UTF_8))
                    .build());
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    void consume(MessageListener listener, int threads) throws ClientException {
        open.add(provider.newPushConsumerBuilder()
                .setClientConfiguration(configuration)
                .setConsumerGroup(GROUP)
                .setSubscriptionExpressions(Map.of(TOPIC, FilterExpression.SUB_ALL))
                .setConsumptionThreadCount(threads)
                .setMessageListener(listener)
                .build());
    }

    @Override
    public void close() {
        open.close();
    }
}
