package io.dedup.rocketmq;

import static org.awaitility.Awaitility.await;

import io.dedup.doubles.GroupScene;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.DedupStore;
import io.dedup.store.memory.InMemoryDedupStore;
import io.dedup.store.transaction.TransactionalRecords;
import io.dedup.testservers.PauselessClock;
import io.dedup.testservers.rocketmq.RocketMqServer;
import io.dedup.testservers.rocketmq.RocketMqServer.TopicType;
import io.dedup.testservers.rocketmq.RocketMqServers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.rocketmq.client.apis.ClientConfiguration;
import org.apache.rocketmq.client.apis.ClientException;
import org.apache.rocketmq.client.apis.ClientServiceProvider;
import org.apache.rocketmq.client.apis.consumer.FilterExpression;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.apache.rocketmq.client.apis.consumer.PushConsumer;
import org.apache.rocketmq.client.apis.consumer.SimpleConsumer;
import org.apache.rocketmq.client.apis.message.Message;
import org.apache.rocketmq.client.apis.message.MessageBuilder;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.apache.rocketmq.client.apis.producer.Producer;
import org.jspecify.annotations.Nullable;

/** One topic, one group, one store and one decorator on the shared server, and what a test asks of them. */
final class Scene extends GroupScene {
    static final Duration WAIT_AFTER_CLOSE = Duration.ofSeconds(3);
    static final Duration PATIENCE = Duration.ofMinutes(3);

    /** What a store's client may take for its first connection, in a JVM that has to load its classes. */
    static final Duration COLD_CLIENT = Duration.ofSeconds(15);

    static final Duration INVISIBLE = Duration.ofSeconds(30);
    static final ClientServiceProvider CLIENT = ClientServiceProvider.loadService();

    final RocketMqServer server;
    final ClientConfiguration client;
    private final Producer producer;

    /** @param retries after which a message goes to the dead-letter queue */
    Scene(TopicType type, int retries, UnaryOperator<DedupPolicy.Builder> changes) {
        this(type, retries, changes, memory());
    }

    /** On a clock that a machine that stands still doesn't move: leases are short here. */
    static InMemoryDedupStore memory() {
        return new InMemoryDedupStore(PauselessClock.get(), InMemoryDedupStore.DEFAULT_ATTEMPT_RETENTION);
    }

    Scene(TopicType type, int retries, UnaryOperator<DedupPolicy.Builder> changes, DedupStore store) {
        this(RocketMqServers.shared(), type, retries, changes, store);
    }

    /** In a mode that keeps its records in the handlers' transactions. */
    Scene(
            TopicType type,
            int retries,
            UnaryOperator<DedupPolicy.Builder> changes,
            DedupStore store,
            TransactionalRecords records) {
        this(RocketMqServers.shared(), type, retries, changes, store, records);
    }

    Scene(
            RocketMqServer server,
            TopicType type,
            int retries,
            UnaryOperator<DedupPolicy.Builder> changes,
            DedupStore store) {
        this(server, type, retries, changes, store, null);
    }

    private Scene(
            RocketMqServer server,
            TopicType type,
            int retries,
            UnaryOperator<DedupPolicy.Builder> changes,
            DedupStore store,
            @Nullable TransactionalRecords records) {
        super(store, records, changes);
        this.server = server;
        this.client = ClientConfiguration.newBuilder()
                .setEndpoints(server.endpoints())
                .enableSsl(false)
                .setRequestTimeout(Duration.ofSeconds(30)) // its 3 s are short for a busy machine: it would send twice
                .build();
        server.createTopic(topic, type, type == TopicType.FIFO ? 1 : 2);
        server.createGroup(group, type == TopicType.FIFO, retries, Duration.ofMillis(100));
        try {
            producer = closeLater(CLIENT.newProducerBuilder()
                    .setClientConfiguration(client)
                    .setTopics(topic)
                    .build());
        } catch (ClientException e) {
            throw new IllegalStateException(e);
        }
    }

    static Scene normal() {
        return new Scene(TopicType.NORMAL, 20, policy -> policy);
    }

    /**
     * How many deliveries were acked without a run: duplicates, and copies of another one in their batch. May be more than were
     * sent: what a busy machine acks after its invisible duration (INVALID_RECEIPT_HANDLE) comes again.
     */
    long duplicates(String... ids) {
        return Stream.of(ids)
                .mapToLong(id -> count("duplicate " + id) + count("copy " + id))
                .sum();
    }

    MessageBuilder message(String body) {
        return CLIENT.newMessageBuilder().setTopic(topic).setBody(body.getBytes(StandardCharsets.UTF_8));
    }

    void send(Message message) {
        try {
            producer.send(message);
        } catch (ClientException e) {
            throw new IllegalStateException(e);
        }
    }

    void send(String... ids) {
        for (String id : ids) {
            send(message("v-" + id).addProperty("id", id).build());
        }
    }

    static String id(MessageView message) {
        return message.getProperties().getOrDefault("id", "none");
    }

    RocketMqDedupBuilder builder() {
        return RocketMqDedup.builder(dedup).waitAfterClose(WAIT_AFTER_CLOSE).id(RocketMqMessageIds.property("id"));
    }

    PushConsumer start(MessageListener listener) {
        return start(builder().build(), group, listener);
    }

    PushConsumer start(RocketMqDedup rocket, String consumerGroup, MessageListener listener) {
        try {
            return closeLater(CLIENT.newPushConsumerBuilder()
                    .setClientConfiguration(client)
                    .setConsumerGroup(consumerGroup)
                    .setSubscriptionExpressions(Map.of(topic, FilterExpression.SUB_ALL))
                    .setMessageListener(rocket.decorate(consumerGroup, listener))
                    .build());
        } catch (ClientException e) {
            throw new IllegalStateException(e);
        }
    }

    void awaitEffects(String... ids) {
        await().untilAsserted(() ->
                org.assertj.core.api.Assertions.assertThat(effects).containsExactlyInAnyOrder(ids));
    }

    /** Receives from the dead-letter queue of the group until there are that many. */
    void awaitDeadLetters(int expected) {
        String letters = "%DLQ%" + group;
        String reader = group + "-letters";
        server.createGroup(reader, false, 3);
        int[] found = {0};
        // The queue comes into being with its first letter, and a consumer of nothing doesn't start.
        await().ignoreExceptions().until(() -> {
            try (SimpleConsumer consumer = simpleConsumer(reader, letters)) {
                found[0] += consumer.receive(8, Duration.ofMinutes(1)).size();
            }
            return found[0] >= expected;
        });
    }

    SimpleConsumer simpleConsumer(String consumerGroup, String from) throws ClientException {
        return CLIENT.newSimpleConsumerBuilder()
                .setClientConfiguration(client)
                .setConsumerGroup(consumerGroup)
                .setSubscriptionExpressions(Map.of(from, FilterExpression.SUB_ALL))
                .setAwaitDuration(Duration.ofSeconds(1))
                .build();
    }

    /** A loop that is closed with this, unless before, with short times. */
    SimpleConsumerLoop loop(
            RocketMqDedup rocket, MessageListener listener, UnaryOperator<SimpleConsumerLoopBuilder> changes) {
        try {
            SimpleConsumer consumer = closeLater(simpleConsumer(group, topic));
            return closeLater(changes.apply(rocket.loop(consumer, listener)
                            .concurrency(4)
                            .invisibleDuration(INVISIBLE)
                            .retryDelay(attempt -> Duration.ofMillis(200))
                            .shutdownTimeout(Duration.ofSeconds(5)))
                    .start());
        } catch (ClientException e) {
            throw new IllegalStateException(e);
        }
    }

    SimpleConsumerLoop loop(MessageListener listener) {
        return loop(builder().build(), listener, settings -> settings);
    }

    /** The loop has acked everything, apart from what the broker couldn't be told. */
    void assertNothingLeft(SimpleConsumerLoop loop) {
        // A copy that it has returned, because the first one wasn't done yet, comes again after a short delay.
        await().during(Duration.ofSeconds(5)).until(() -> loop.openMessages() == 0);
        loop.close();
        int again = 0;
        int quiet = 0;
        try (SimpleConsumer consumer = simpleConsumer(group, topic)) {
            while (quiet < 3 && again <= loop.failedRequests()) {
                List<MessageView> received = consumer.receive(8, PATIENCE);
                for (MessageView message : received) {
                    consumer.ack(message);
                }
                again += received.size();
                quiet = received.isEmpty() ? quiet + 1 : 0;
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        org.assertj.core.api.Assertions.assertThat(again).isLessThanOrEqualTo(loop.failedRequests());
    }
}
