package io.dedup.kafka;

import io.dedup.Deduplicator;
import io.dedup.adapter.DedupAdapter;
import io.dedup.kafka.internal.container.ContainerDecorator;
import io.dedup.kafka.internal.record.RecordDeliveries;
import java.util.List;
import org.springframework.kafka.config.ContainerCustomizer;
import org.springframework.kafka.config.ContainerPostProcessor;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.retrytopic.DestinationTopicContainer;

/**
 * Makes spring-kafka listeners idempotent: each business message takes effect once within its deduplication window.
 *
 * <p>Decorates the message listener and the error handler of listener containers, before they start. One instance
 * decorates any number of containers. Thread-safe; close it after the containers have stopped and before the
 * {@link Deduplicator}, which it doesn't own.
 *
 * <p>A container is refused at its start, with an {@link IllegalStateException} that names the setting, when it would
 * lose or double messages: {@code enable.auto.commit}, a transaction manager that isn't Kafka's, and
 * {@code @RetryableTopic} without a {@link KafkaDedupInstaller}; in a transactional mode also a handler that runs outside of
 * its transaction, as far as it can be seen, or whose work ends later than its call.
 */
public final class KafkaDedup implements AutoCloseable {
    private final DedupAdapter engine;
    private final RecordDeliveries deliveries;
    private final ContainerDecorator decorator;

    KafkaDedup(DedupAdapter engine, RecordDeliveries deliveries, ContainerDecorator decorator) {
        this.engine = engine;
        this.deliveries = deliveries;
        this.decorator = decorator;
    }

    /** A builder on top of a deduplicator, whose policies apply topic by topic. */
    public static KafkaDedupBuilder builder(Deduplicator deduplicator) {
        return new KafkaDedupBuilder(deduplicator);
    }

    /**
     * Decorates a container. Call it when the message listener and the error handler are set, and before the start;
     * a second call changes nothing.
     *
     * @throws IllegalStateException when there is no message listener yet, or the container runs
     */
    public void decorate(AbstractMessageListenerContainer<?, ?> container) {
        decorator.decorate(container);
    }

    /**
     * Looks at a decorated container before its start, which does the same.
     *
     * @return what is risky about it, for whom a warning in the log isn't enough
     * @throws IllegalStateException when its start would be refused
     * @throws IllegalArgumentException when one of its topics has no ID extractor
     */
    public List<String> check(AbstractMessageListenerContainer<?, ?> container) {
        return ContainerDecorator.check(container);
    }

    /** The main container of a {@code @RetryableTopic}, whose further topics are planned there. */
    void retryTopics(AbstractMessageListenerContainer<?, ?> main, DestinationTopicContainer destinations) {
        decorator.retryTopics(main, destinations);
    }

    /** For {@code ConcurrentKafkaListenerContainerFactory.setContainerCustomizer}, when there is no customizer yet. */
    public <K, V> ContainerCustomizer<K, V, ConcurrentMessageListenerContainer<K, V>> customizer() {
        return this::decorate;
    }

    /** The same after another customizer, which setting this one would replace. */
    public <K, V> ContainerCustomizer<K, V, ConcurrentMessageListenerContainer<K, V>> customizer(
            ContainerCustomizer<K, V, ConcurrentMessageListenerContainer<K, V>> first) {
        return container -> {
            first.configure(container);
            decorate(container);
        };
    }

    /** For {@code @KafkaListener(containerPostProcessor = ...)}: single listeners; runs after the factory's customizer. */
    public <K, V> ContainerPostProcessor<K, V, ConcurrentMessageListenerContainer<K, V>> postProcessor() {
        return this::decorate;
    }

    /** Containers of share groups. They are of another kind, which {@link #decorate} doesn't take. */
    public ShareGroupDedup shareGroups() {
        return new ShareGroupDedup(engine, deliveries);
    }

    /**
     * Ends the timer, and resumes the containers that are paused until the store answers. A container that runs nevertheless
     * still holds the partitions of deferred records for their delay, but isn't paused as a whole any more.
     */
    @Override
    public void close() {
        decorator.close();
    }
}
