package io.dedup.kafka;

import static org.awaitility.Awaitility.await;

import io.dedup.Deduplicator;
import io.dedup.kafka.id.KafkaMessageIds;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ListShareGroupOffsetsSpec;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.core.DefaultShareConsumerFactory;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.ShareAckMode;
import org.springframework.kafka.listener.ShareKafkaMessageListenerContainer;

/** A share group on a scene's topic, whose locks last four seconds. */
final class ShareScene implements AutoCloseable {
    static final Duration LOCK = Duration.ofSeconds(4);

    final Scene scene;
    private final Admin admin;

    ShareScene(Scene scene) {
        this(scene, LOCK);
    }

    /** With locks that outlast what a busy machine takes, for tests in which none is to end. */
    static ShareScene withLongLocks(Scene scene) {
        return new ShareScene(scene, Duration.ofMinutes(1));
    }

    private ShareScene(Scene scene, Duration lock) {
        this.scene = scene;
        this.admin = Admin.create(Map.of("bootstrap.servers", scene.bootstrap));
        configure(scene.group, "share.auto.offset.reset", "earliest");
        configure(scene.group, "share.record.lock.duration.ms", Long.toString(lock.toMillis()));
        configure(scene.group, "share.heartbeat.interval.ms", "500");
    }

    private void configure(String group, String name, String value) {
        try {
            admin.incrementalAlterConfigs(Map.of(
                            new ConfigResource(ConfigResource.Type.GROUP, group),
                            List.of(new AlterConfigOp(new ConfigEntry(name, value), OpType.SET))))
                    .all()
                    .get();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    DefaultShareConsumerFactory<String, String> consumers() {
        Map<String, Object> config = new HashMap<>();
        config.put("bootstrap.servers", scene.bootstrap);
        config.put("group.id", scene.group);
        config.put("fetch.max.wait.ms", 50);
        return new DefaultShareConsumerFactory<>(config, new StringDeserializer(), new StringDeserializer(), true);
    }

    ContainerProperties properties(ShareAckMode mode, Object listener) {
        ContainerProperties properties = new ContainerProperties(scene.topic);
        properties.setShareAckMode(mode);
        properties.setMessageListener(listener);
        return properties;
    }

    ShareKafkaMessageListenerContainer<String, String> container(ShareAckMode mode, Object listener) {
        ShareKafkaMessageListenerContainer<String, String> container =
                scene.kafka.shareGroups().container(consumers(), properties(mode, listener));
        container.setBeanName("c-" + scene.topic);
        return container;
    }

    /** Runs something before each call of the client, by the names of its methods. */
    ShareKafkaMessageListenerContainer<String, String> container(
            ShareAckMode mode, Object listener, BiConsumer<String, Object[]> before) {
        return container(mode, listener, () -> (real, method, arguments) -> {
            before.accept(method.getName(), arguments);
            return method.invoke(real, arguments);
        });
    }

    /** What a client does in place of the real one. */
    interface Around {
        @Nullable
        Object call(ShareConsumer<String, String> real, Method method, Object[] arguments) throws Exception;
    }

    /** @param clients for each client that is made */
    ShareKafkaMessageListenerContainer<String, String> container(
            ShareAckMode mode, Object listener, Supplier<Around> clients) {
        ShareKafkaMessageListenerContainer<String, String> container = scene.kafka
                .shareGroups()
                .container(
                        new WatchedConsumers(consumers().getConfigurationProperties(), clients),
                        properties(mode, listener));
        container.setBeanName("c-" + scene.topic);
        return container;
    }

    private static final class WatchedConsumers extends DefaultShareConsumerFactory<String, String> {
        private final Supplier<Around> clients;

        WatchedConsumers(Map<String, Object> config, Supplier<Around> clients) {
            super(config, new StringDeserializer(), new StringDeserializer(), true);
            this.clients = clients;
        }

        @Override
        public ShareConsumer<String, String> createShareConsumer(String groupId, String clientId) {
            return watched(super.createShareConsumer(groupId, clientId));
        }

        @Override
        public ShareConsumer<String, String> createShareConsumer(
                String groupId, String clientId, Map<String, Object> overrides) {
            return watched(super.createShareConsumer(groupId, clientId, overrides));
        }

        @SuppressWarnings("unchecked")
        private ShareConsumer<String, String> watched(ShareConsumer<String, String> real) {
            Around client = clients.get();
            return (ShareConsumer<String, String>) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {ShareConsumer.class}, (self, method, arguments) -> {
                        try {
                            return client.call(real, method, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }
    }

    /** The same for another process, with a deduplicator of its own. */
    ShareKafkaMessageListenerContainer<String, String> elsewhere(ShareAckMode mode, Object listener) {
        Deduplicator other = scene.closeLater(scene.deduplicator(UnaryOperator.identity()));
        KafkaDedup kafka = scene.closeLater(
                KafkaDedup.builder(other).id(KafkaMessageIds.header("id")).build());
        ShareKafkaMessageListenerContainer<String, String> container =
                kafka.shareGroups().container(consumers(), properties(mode, listener));
        container.setBeanName("other-" + scene.topic);
        return container;
    }

    ShareKafkaMessageListenerContainer<String, String> start(
            ShareKafkaMessageListenerContainer<String, String> container) {
        container.start();
        scene.closeLater(container::stop);
        return container;
    }

    /** Waits until all records are accepted or archived. */
    void awaitSettled() {
        await().pollInterval(Duration.ofMillis(50))
                .untilAsserted(() ->
                        org.assertj.core.api.Assertions.assertThat(unsettled()).isZero());
    }

    /** How many records are neither accepted nor archived; -1 when the broker doesn't know yet. */
    long unsettled() {
        try {
            var offsets = admin.listShareGroupOffsets(Map.of(
                            scene.group,
                            new ListShareGroupOffsetsSpec()
                                    .topicPartitions(List.of(new TopicPartition(scene.topic, 0)))))
                    .partitionsToOffsetInfo(scene.group)
                    .get()
                    .get(new TopicPartition(scene.topic, 0));
            return offsets == null ? -1 : offsets.lag().orElse(-1L);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** The operator's replay: the group, whose consumers have stopped, starts again at the beginning. */
    void rewind() {
        await().ignoreExceptions().until(() -> {
            admin.alterShareGroupOffsets(scene.group, Map.of(new TopicPartition(scene.topic, 0), 0L))
                    .all()
                    .get(); // refused until the last member has gone
            return true;
        });
    }

    @Override
    public void close() {
        scene.close();
        admin.close(Duration.ZERO);
    }
}
