package io.dedup.spring.boot.internal.kafka;

import static java.util.Objects.requireNonNull;

import io.dedup.kafka.KafkaDedup;
import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.internal.check.RiskCheck;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatedListener;
import io.dedup.spring.boot.internal.text.YamlPath;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.event.ConsumerStartingEvent;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.requestreply.ReplyingKafkaTemplate;

/**
 * Deduplicates containers that don't come from a {@code @KafkaListener}: beans, and those of endpoints that a
 * {@code KafkaListenerConfigurer} registers. Containers that are created later, or in a child context, cannot be decorated any more: their
 * start fails. The container of a {@code ReplyingKafkaTemplate} receives replies, and is left as it is. Thread-safe.
 */
public final class OtherContainers implements RiskCheck, ApplicationListener<ConsumerStartingEvent> {
    private static final Logger log = LoggerFactory.getLogger("io.dedup");

    private final KafkaListeners listeners;
    private final ObjectProvider<KafkaListenerEndpointRegistry> registries;
    private final ConfigurableListableBeanFactory beans;
    /** Of a container that was started before {@link #findListeners}. */
    private volatile @Nullable DedupConfigurationException early;

    public OtherContainers(
            KafkaListeners listeners,
            ObjectProvider<KafkaListenerEndpointRegistry> registries,
            ConfigurableListableBeanFactory beans) {
        this.listeners = listeners;
        this.registries = registries;
        this.beans = beans;
    }

    /** Later than {@code SmartInitializingSingleton}s, which register endpoints and decorate inbound adapters. */
    @Override
    public void findListeners() {
        Set<MessageListenerContainer> found = Collections.newSetFromMap(new IdentityHashMap<>());
        registries.forEach(registry -> found.addAll(registry.getListenerContainers()));
        for (String name : beans.getBeanNamesForType(MessageListenerContainer.class, false, false)) {
            if (beans.getSingleton(name) instanceof MessageListenerContainer container) {
                found.add(container);
            }
        }
        found.forEach(this::decorate);
        DedupConfigurationException refused = early; // afterwards: one that starts now may just have been stopped
        if (refused != null) {
            throw refused;
        }
    }

    private void decorate(MessageListenerContainer container) {
        Set<String> topics = undecorated(container);
        if (topics.isEmpty()) {
            return;
        }
        String name = name(container);
        if (!(container instanceof AbstractMessageListenerContainer<?, ?> decorable)) {
            throw new DedupConfigurationException(
                    "Listener " + name + " reads topics of dedup.topics, " + topics
                            + ", in a share group, whose containers the starter cannot deduplicate.",
                    "Create its container with KafkaDedup.shareGroups() in Java, or switch off its deduplication with"
                            + " " + YamlPath.listener(name) + ".enabled: false.");
        }
        if (container.isRunning()) {
            throw startedUndecorated(name, topics);
        }
        if (decorable.getContainerProperties().getMessageListener() != null) { // else its start is refused
            requireNonNull(listeners.serve(decorable, name)).dedup().decorate(decorable);
        }
    }

    private static DedupConfigurationException startedUndecorated(String name, Set<String> topics) {
        return new DedupConfigurationException(
                "Listener " + name + " reads topics of dedup.topics, " + topics
                        + ", but its container was started without deduplication: by its bean method, after the start of the"
                        + " application, or in a child context.",
                "Declare the container, with its message listener, as a bean where the starter is configured, and let Spring"
                        + " start it; or decorate it in Java with KafkaDedup.decorate. To let it run without"
                        + " deduplication, set " + YamlPath.listener(name) + ".enabled: false.");
    }

    /** The configured topics of a container that is neither decorated nor to be left as it is. */
    private Set<String> undecorated(MessageListenerContainer container) {
        boolean retries = container instanceof AbstractMessageListenerContainer<?, ?> decorable
                && decorable.getMainListenerId() != null; // as its main container
        if (retries || KafkaDedup.isDecorated(container) || receivesReplies(container)) {
            listeners.leave(container, name(container));
            return Set.of();
        }
        return listeners.undecided(container, name(container));
    }

    private static boolean receivesReplies(MessageListenerContainer container) {
        return container.getContainerProperties().getMessageListener() instanceof ReplyingKafkaTemplate<?, ?, ?>;
    }

    private static String name(MessageListenerContainer container) {
        return String.valueOf(container.getListenerId());
    }

    /** Called on the consumer's thread, before it polls. */
    @Override
    public void onApplicationEvent(ConsumerStartingEvent event) {
        MessageListenerContainer container = event.getContainer(MessageListenerContainer.class);
        Set<String> topics = undecorated(container);
        if (topics.isEmpty()) {
            return;
        }
        DedupConfigurationException refused = startedUndecorated(name(container), topics);
        early = refused;
        log.error("{} {}", refused.getMessage(), refused.action());
        Thread stop =
                new Thread(container::stop, "dedup-refused-container"); // this thread holds up the container's start
        stop.setDaemon(true);
        stop.start();
        throw refused; // nothing is polled
    }

    @Override
    public List<Warning> warnings(List<DeduplicatedListener> served) {
        return List.of();
    }
}
