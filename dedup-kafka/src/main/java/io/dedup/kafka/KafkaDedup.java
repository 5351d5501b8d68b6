package io.dedup.kafka;

import io.dedup.Deduplicator;
import io.dedup.adapter.DedupAdapter;
import io.dedup.kafka.internal.container.ContainerDecorator;
import io.dedup.kafka.internal.record.RecordDeliveries;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.springframework.kafka.config.ContainerCustomizer;
import org.springframework.kafka.config.ContainerPostProcessor;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.retrytopic.DestinationTopicContainer;

/**
 * Makes spring-kafka listeners idempotent: each business message takes effect once within its deduplication window.
 *
 * <p>Decorates the message listener and the error handler of listener containers, before they start. One instance can
 * decorate any number of containers. Thread-safe. Close it after the containers have stopped and before the
 * {@link Deduplicator}, which it doesn't own.
 *
 * <p>A container whose settings would lose messages or handle them twice doesn't start: it throws an
 * {@link IllegalStateException} that names the setting. This concerns {@code enable.auto.commit}, a transaction manager
 * that isn't Kafka's, and {@code @RetryableTopic} without a {@link KafkaDedupInstaller}; in a transactional mode also a
 * handler whose work runs outside of its transaction, as far as that can be detected, or ends after its method has
 * returned.
 */
public final class KafkaDedup implements AutoCloseable {
    private final DedupAdapter engine;
    private final RecordDeliveries deliveries;
    private final ContainerDecorator decorator;
    private final Function<Map<String, Object>, Admin> adminClient;

    KafkaDedup(
            DedupAdapter engine,
            RecordDeliveries deliveries,
            ContainerDecorator decorator,
            Function<Map<String, Object>, Admin> adminClient) {
        this.engine = engine;
        this.deliveries = deliveries;
        this.decorator = decorator;
        this.adminClient = adminClient;
    }

    /**
     * Returns a builder.
     *
     * @param deduplicator supplies the store, and the policy of each topic
     */
    public static KafkaDedupBuilder builder(Deduplicator deduplicator) {
        return new KafkaDedupBuilder(deduplicator);
    }

    /**
     * Decorates a container. Call this after the message listener and the error handler are set, and before the
     * container starts. A second call has no effect.
     *
     * @throws IllegalStateException when the container has no message listener yet, or is running
     */
    public void decorate(AbstractMessageListenerContainer<?, ?> container) {
        decorator.decorate(container);
    }

    /**
     * Checks a decorated container before it starts. The start runs the same checks, throws the same exceptions and
     * logs what this returns.
     *
     * @return warnings about risky settings, for callers that want to do more than log them; empty if there are none
     * @throws IllegalStateException when the container isn't decorated, or would refuse to start
     * @throws IllegalArgumentException when one of its topics has no ID extractor
     */
    public List<String> check(AbstractMessageListenerContainer<?, ?> container) {
        return ContainerDecorator.check(container);
    }

    /**
     * Whether a container's messages are deduplicated, by any {@link KafkaDedup}: it was decorated, or created by
     * {@link #shareGroups}.
     */
    public static boolean isDecorated(MessageListenerContainer container) {
        return ContainerDecorator.isDecorated(container);
    }

    /**
     * Registers the main container of a {@code @RetryableTopic}, whose retry and dead-letter topics are listed in
     * {@code destinations}.
     */
    void retryTopics(AbstractMessageListenerContainer<?, ?> main, DestinationTopicContainer destinations) {
        decorator.retryTopics(main, destinations);
    }

    /**
     * Returns a customizer for {@code ConcurrentKafkaListenerContainerFactory.setContainerCustomizer} that decorates
     * each container. If the factory has a customizer already, use {@link #customizer(ContainerCustomizer)}.
     */
    public <K, V> ContainerCustomizer<K, V, ConcurrentMessageListenerContainer<K, V>> customizer() {
        return this::decorate;
    }

    /** Returns a customizer that calls another one first and then decorates the container. */
    public <K, V> ContainerCustomizer<K, V, ConcurrentMessageListenerContainer<K, V>> customizer(
            ContainerCustomizer<K, V, ConcurrentMessageListenerContainer<K, V>> first) {
        return container -> {
            first.configure(container);
            decorate(container);
        };
    }

    /**
     * Returns a post-processor for {@code @KafkaListener(containerPostProcessor = ...)}, to decorate single listeners.
     * Spring calls it after the factory's customizer.
     */
    public <K, V> ContainerPostProcessor<K, V, ConcurrentMessageListenerContainer<K, V>> postProcessor() {
        return this::decorate;
    }

    /**
     * Returns the entry point for share groups, whose containers are of a different type that {@link #decorate} doesn't
     * accept.
     */
    public ShareGroupDedup shareGroups() {
        return new ShareGroupDedup(engine, deliveries, adminClient);
    }

    /**
     * Stops the timer and resumes the containers that are paused until the store answers. Containers that are still
     * running afterwards hold the partitions of deferred records for their delays, but are no longer paused as a whole.
     */
    @Override
    public void close() {
        decorator.close();
    }
}
