package io.dedup.rocketmq.remoting;

import static org.assertj.core.api.Assertions.assertThat;
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
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.apache.rocketmq.client.ClientConfig;
import org.apache.rocketmq.client.common.ClientErrorCode;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.consumer.listener.MessageListenerOrderly;
import org.apache.rocketmq.client.consumer.store.ReadOffsetType;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;
import org.jspecify.annotations.Nullable;

/** One topic, one group, one store and one decorator on the shared server, and what a test asks of them. */
final class Scene extends GroupScene {
    static final Duration WAIT_AFTER_CLOSE = Duration.ofSeconds(3);
    static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final int ONE_SECOND = 1; // the broker's first delay level
    private static final int TIMEOUT_MILLIS = 30_000; // the client's 3 s are short for a busy machine

    final RocketMqServer server = RocketMqServers.shared();
    final List<Integer> reconsumed = new CopyOnWriteArrayList<>();

    /** How many messages the topic has. */
    private final AtomicInteger sent = new AtomicInteger();

    Scene(int queues) {
        this(
                queues,
                policy -> policy,
                new InMemoryDedupStore(PauselessClock.get(), InMemoryDedupStore.DEFAULT_ATTEMPT_RETENTION));
    }

    Scene(int queues, UnaryOperator<DedupPolicy.Builder> changes, DedupStore store) {
        this(queues, changes, store, null);
    }

    /** @param records for a mode that keeps its records in the handlers' transactions */
    Scene(
            int queues,
            UnaryOperator<DedupPolicy.Builder> changes,
            DedupStore store,
            @Nullable TransactionalRecords records) {
        super(store, records, changes);
        server.createTopic(topic, queues == 1 ? TopicType.FIFO : TopicType.NORMAL, queues);
    }

    /** All clients of one instance name share their threads and connections; this one keeps them until the JVM ends. */
    private static final class Shared {
        static final DefaultMQProducer PRODUCER = producer();

        private static DefaultMQProducer producer() {
            DefaultMQProducer producer = new DefaultMQProducer("producers");
            common(producer);
            producer.setSendMsgTimeout(TIMEOUT_MILLIS);
            // On a busy machine it may not get a topic's route in time. It then takes that of the default topic, with
            // so many queues.
            producer.setDefaultTopicQueueNums(1);
            try {
                producer.start();
            } catch (MQClientException e) {
                throw new IllegalStateException(e);
            }
            return producer;
        }
    }

    private static void common(ClientConfig client) {
        client.setNamesrvAddr(RocketMqServers.shared().nameServerAddress());
        client.setInstanceName("tests");
        client.setMqClientApiTimeout(TIMEOUT_MILLIS);
        client.setPollNameServerInterval(500);
    }

    Message message(String id) {
        Message message = new Message(topic, ("v-" + id).getBytes(StandardCharsets.UTF_8));
        message.putUserProperty("id", id);
        return message;
    }

    /** All clients ask for their topics' routes in turn: on a busy machine one may give up before its turn, and send nothing. */
    SendResult send(Message message) {
        SendResult result = await().ignoreExceptionsMatching(Scene::isWithoutRoute)
                .until(() -> Shared.PRODUCER.send(message), Objects::nonNull);
        if (message.getTopic().equals(topic)) {
            sent.incrementAndGet();
        }
        return result;
    }

    private static boolean isWithoutRoute(Throwable thrown) {
        return thrown instanceof MQClientException failure
                && failure.getResponseCode() == ClientErrorCode.NOT_FOUND_TOPIC_EXCEPTION;
    }

    void send(String... ids) {
        for (String id : ids) {
            send(message(id));
        }
    }

    static String id(MessageExt message) {
        return String.valueOf(message.getProperty("id"));
    }

    /** The effect, without which no message may be acked. */
    void effect(MessageExt message) {
        assertThat(message.getTopic()).isEqualTo(topic); // after a retry, too
        reconsumed.add(message.getReconsumeTimes());
        effects.add(id(message));
    }

    /** A listener that always succeeds, and asks for short delays if it doesn't come to that. */
    MessageListenerConcurrently effect() {
        return (messages, context) -> {
            context.setDelayLevelWhenNextConsume(ONE_SECOND);
            messages.forEach(this::effect);
            return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
        };
    }

    RemotingDedupBuilder builder() {
        return RemotingDedup.builder(dedup).waitAfterClose(WAIT_AFTER_CLOSE).id(RemotingMessageIds.property("id"));
    }

    DefaultMQPushConsumer start(MessageListenerConcurrently listener) {
        return start(consumer -> {
            consumer.registerMessageListener(listener);
            builder().build().decorate(consumer);
        });
    }

    DefaultMQPushConsumer startOrderly(MessageListenerOrderly listener) {
        return start(consumer -> {
            consumer.setSuspendCurrentQueueTimeMillis(50);
            consumer.registerMessageListener(listener);
            builder().build().decorate(consumer);
        });
    }

    DefaultMQPushConsumer start(Consumer<DefaultMQPushConsumer> settings) {
        DefaultMQPushConsumer consumer = consumer();
        settings.accept(consumer);
        try {
            consumer.start();
        } catch (MQClientException e) {
            throw new IllegalStateException(e);
        }
        closeLater(consumer::shutdown);
        return consumer;
    }

    DefaultMQPushConsumer consumer() {
        DefaultMQPushConsumer consumer = new DefaultMQPushConsumer(group);
        common(consumer);
        consumer.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
        consumer.setConsumeThreadMin(4);
        consumer.setConsumeThreadMax(4);
        try {
            consumer.subscribe(topic, "*");
        } catch (MQClientException e) {
            throw new IllegalStateException(e);
        }
        return consumer;
    }

    void awaitEffects(String... ids) {
        await().untilAsserted(() -> assertThat(effects).containsExactlyInAnyOrder(ids));
    }

    @SuppressWarnings("deprecation") // deprecated for users
    private static long acked(DefaultMQPushConsumer consumer, MessageQueue queue) {
        return consumer.getOffsetStore().readOffset(queue, ReadOffsetType.READ_FROM_MEMORY);
    }

    /** Waits until the group has acked all that was sent to the topic, or has sent it back. */
    void awaitAllAcked(DefaultMQPushConsumer consumer) {
        await().untilAsserted(() -> {
            long ends = 0;
            for (MessageQueue queue : consumer.fetchSubscribeMessageQueues(topic)) {
                long end = end(queue);
                ends += end;
                assertThat(Math.max(acked(consumer, queue), 0)).isEqualTo(end);
            }
            // A busy broker counts a message later than it has answered the producer.
            assertThat(ends).isEqualTo(sent.get());
        });
    }

    /** Waits until the group's dead-letter queue holds that many messages. */
    void awaitDeadLetters(int expected) {
        String letters = "%DLQ%" + group;
        // The queue comes into being with its first letter.
        await().ignoreExceptions().until(() -> {
            long found = 0;
            for (MessageQueue queue : Shared.PRODUCER.fetchPublishMessageQueues(letters)) {
                found += end(queue);
            }
            return found == expected;
        });
    }

    @SuppressWarnings("deprecation") // deprecated in favor of an admin tool with a hundred dependencies
    private long end(MessageQueue queue) throws MQClientException {
        return Shared.PRODUCER.maxOffset(queue);
    }
}
