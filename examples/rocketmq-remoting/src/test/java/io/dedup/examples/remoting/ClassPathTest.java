package io.dedup.examples.remoting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.rocketmq.remoting.RemotingDedup;
import io.dedup.rocketmq.remoting.RemotingMessageIds;
import io.dedup.store.redis.RedisDedupStore;
import io.dedup.testservers.redis.RedisServers;
import io.dedup.testservers.rocketmq.RocketMqServer;
import io.dedup.testservers.rocketmq.RocketMqServers;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.rocketmq.client.ClientConfig;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.Message;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** D9: the older RocketMQ client depends on Netty 4.1 by netty-all, and Lettuce on 4.2. dedup-bom makes it one version. */
class ClassPathTest {
    private static final Pattern NETTY_JAR =
            Pattern.compile("(netty-(?!tcnative)[a-z0-9_-]*?)-(\\d+\\.\\d+\\.\\d+\\.Final)(-.*)?\\.jar");
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final int REQUEST_MILLIS = 30_000; // the client's default of 3 s is short for a busy machine

    @Test
    @DisplayName("D9 all jars of Netty have one version, and it is a 4.2")
    void oneNetty() {
        Map<String, String> versions = new TreeMap<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            Matcher jar = NETTY_JAR.matcher(Path.of(entry).getFileName().toString());
            if (jar.matches()) {
                versions.put(jar.group(1), jar.group(2));
            }
        }
        assertThat(versions).containsKeys("netty-all", "netty-common", "netty-transport-classes-epoll");
        assertThat(Set.copyOf(versions.values()))
                .singleElement(InstanceOfAssertFactories.STRING)
                .startsWith("4.2.");
    }

    @Test
    @DisplayName("D9 a decorated consumer of the older client with a Redis store: what is sent twice takes effect once")
    void worksTogether() throws Exception {
        RocketMqServer server = RocketMqServers.shared();
        String topic = "t" + UUID.randomUUID().toString().substring(0, 8);
        server.createTopic(topic, RocketMqServer.TopicType.NORMAL, 2);
        List<String> effects = new CopyOnWriteArrayList<>();
        AtomicInteger duplicates = new AtomicInteger();
        DefaultMQPushConsumer consumer = common(new DefaultMQPushConsumer("g-" + topic));
        DefaultMQProducer producer = common(new DefaultMQProducer("producers"));
        producer.setSendMsgTimeout(REQUEST_MILLIS);
        try (RedisDedupStore store = RedisDedupStore.builder()
                        .uri(RedisServers.shared().uri())
                        .commandTimeout(Duration.ofSeconds(15)) // the first connection loads the client's classes
                        .build();
                Deduplicator payments = Deduplicators.builder(store)
                        .consumer("payments-" + topic)
                        .listener(new CountingListener(duplicates))
                        .build();
                RemotingDedup dedup = RemotingDedup.builder(payments)
                        .id(RemotingMessageIds.property("order-id"))
                        .build()) {
            producer.start();
            try {
                for (String id : List.of("a", "a", "b")) {
                    Message message = new Message(topic, id.getBytes(StandardCharsets.UTF_8));
                    message.putUserProperty("order-id", id);
                    producer.send(message);
                }
                consumer.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
                consumer.subscribe(topic, "*");
                consumer.registerMessageListener((MessageListenerConcurrently) (messages, context) -> {
                    messages.forEach(message -> effects.add(message.getUserProperty("order-id")));
                    return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
                });
                dedup.decorate(consumer);
                consumer.start();
                await().atMost(PATIENCE).until(() -> effects.size() == 2 && duplicates.get() >= 1);
            } finally {
                consumer.shutdown();
                producer.shutdown();
            }
        }
        assertThat(effects).containsExactlyInAnyOrder("a", "b");
    }

    private static <T extends ClientConfig> T common(T client) {
        client.setNamesrvAddr(RocketMqServers.shared().nameServerAddress());
        client.setMqClientApiTimeout(REQUEST_MILLIS);
        client.setPollNameServerInterval(500);
        return client;
    }
}
