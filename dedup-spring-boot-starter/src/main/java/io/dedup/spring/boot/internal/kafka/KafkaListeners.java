package io.dedup.spring.boot.internal.kafka;

import io.dedup.id.MessageIdExtractor;
import io.dedup.kafka.KafkaDedup;
import io.dedup.kafka.KafkaDedupBuilder;
import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.Deduplicated;
import io.dedup.spring.boot.KafkaSettings;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatedListener;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import io.dedup.spring.boot.internal.deduplicator.ServingDeduplicator;
import io.dedup.spring.boot.internal.plan.KnownTopics;
import io.dedup.spring.boot.internal.plan.ListenerPlanner;
import io.dedup.spring.boot.internal.plan.ListenerSpec;
import io.dedup.spring.boot.internal.plan.PlannedListener;
import io.dedup.spring.boot.internal.plan.TopicPlan;
import io.dedup.spring.boot.internal.plan.TopicPlans;
import io.dedup.spring.boot.internal.text.YamlPath;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.support.TopicPartitionOffset;

/** Decides which {@code @KafkaListener}s are deduplicated, and by what. Thread-safe. */
public final class KafkaListeners implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger("io.dedup");
    static final String BROKER = "Kafka";

    private final ListenerPlanner planner;
    private final DeduplicatorRegistry registry;
    private final KafkaIds ids;
    private final KnownTopics known;
    private final ObjectProvider<KafkaListenerEndpointRegistry> registries;
    private final KafkaSettings settings;
    private final List<Decorated> decorated = new CopyOnWriteArrayList<>();
    /** The containers about which one of the methods below has decided. */
    private final Set<MessageListenerContainer> decided =
            Collections.newSetFromMap(Collections.synchronizedMap(new WeakHashMap<>()));

    private final Map<ServingDeduplicator, KafkaDedup> byDeduplicator = new ConcurrentHashMap<>();

    /**
     * A container, and what decorates it.
     *
     * @param registered whether the container is in a registry of listeners, as those of {@code @KafkaListener}s are
     */
    public record Decorated(
            AbstractMessageListenerContainer<?, ?> container,
            KafkaDedup dedup,
            DeduplicatedListener served,
            boolean registered) {
        String name() {
            return served.listener().spec().name();
        }
    }

    public KafkaListeners(
            ListenerPlanner planner,
            DeduplicatorRegistry registry,
            KafkaIds ids,
            KnownTopics known,
            ObjectProvider<KafkaListenerEndpointRegistry> registries,
            KafkaSettings settings) {
        this.planner = planner;
        this.registry = registry;
        this.ids = ids;
        this.known = known;
        this.registries = registries;
        this.settings = settings;
    }

    /**
     * Returns what decorates a container.
     *
     * @return null when its listener isn't deduplicated
     * @throws DedupConfigurationException when it cannot be deduplicated as configured
     */
    @Nullable
    public KafkaDedup dedupOf(AbstractMessageListenerContainer<?, ?> container, AnnotatedElement annotated) {
        ListenerSpec spec =
                spec(container, String.valueOf(container.getListenerId()), annotation(container, annotated));
        found(container, spec);
        forgetUnregistered();
        Decorated made = serve(spec, container, true);
        return made == null ? null : made.dedup();
    }

    /**
     * Whether a listener is deduplicated that isn't a {@code @KafkaListener}.
     *
     * @throws DedupConfigurationException when it cannot be deduplicated as configured
     */
    public boolean isDeduplicated(AbstractMessageListenerContainer<?, ?> container, String name) {
        ListenerSpec spec = spec(container, name, null);
        found(container, spec);
        return planner.plan(spec) != null;
    }

    /**
     * Returns the topics for which a container has to be deduplicated, because nothing has decided about it; empty if one of the other
     * methods has, or its topics aren't deduplicated.
     *
     * @throws DedupConfigurationException when it cannot be deduplicated as configured
     */
    Set<String> undecided(MessageListenerContainer container, String name) {
        if (decided.contains(container)) {
            return Set.of();
        }
        ListenerSpec spec = spec(container, name, null);
        known.add(spec);
        PlannedListener planned = planner.plan(spec);
        if (planned == null) {
            return Set.of();
        }
        return planned.byPattern() == null ? planned.byTopic().keySet() : Set.of("/" + spec.pattern() + "/");
    }

    /** Notes what a container reads that isn't to be decorated. */
    void leave(MessageListenerContainer container, String name) {
        if (!decided.contains(container)) {
            found(container, spec(container, name, null));
        }
    }

    private void found(MessageListenerContainer container, ListenerSpec spec) {
        decided.add(container);
        known.add(spec);
    }

    /**
     * Returns what decorates the container of a listener that isn't a {@code @KafkaListener}. An earlier container of the same name and
     * topics no longer counts.
     *
     * @return null when its listener isn't deduplicated
     * @throws DedupConfigurationException when it cannot be deduplicated as configured
     */
    public @Nullable Decorated serve(AbstractMessageListenerContainer<?, ?> container, String name) {
        ListenerSpec spec = spec(container, name, null);
        found(container, spec);
        forget(decorated.stream()
                .filter(each ->
                        !each.registered() && each.served().listener().spec().equals(spec))
                .toList());
        return serve(spec, container, false);
    }

    private @Nullable Decorated serve(
            ListenerSpec spec, AbstractMessageListenerContainer<?, ?> container, boolean registered) {
        PlannedListener planned = planner.plan(spec);
        if (planned == null) {
            return null;
        }
        requireMeant(container, spec);
        planned.plans().forEach(this::extractor); // refuses what isn't for Kafka, before anything is opened
        planned.plans().forEach(plan -> JsonValues.require(container, spec.name(), plan));
        DeduplicatedListener served = registry.serve(BROKER, planned, serving -> {});
        KafkaDedup dedup = byDeduplicator.computeIfAbsent(served.servedBy(), this::open);
        Decorated made = new Decorated(container, dedup, served, registered);
        decorated.add(made);
        return made;
    }

    /**
     * Refuses a listener that assigns partitions itself, unless it has settings of its own. Most such listeners read everything in each
     * instance and after each start, to fill a cache, say: they would be given nothing that was handled before.
     */
    private void requireMeant(MessageListenerContainer container, ListenerSpec spec) {
        if (container.getContainerProperties().getTopicPartitions() == null || planner.isMeant(spec)) {
            return;
        }
        String path = YamlPath.listener(spec.name());
        throw new DedupConfigurationException(
                "Listener " + spec.name() + " assigns partitions of " + spec.topics()
                        + " itself, instead of sharing them in its group, and dedup.topics is for all listeners of a topic. What one"
                        + " instance has handled, or the same one before a restart, it would skip.",
                "If each instance and each start is to handle all records, as for a cache, set " + path
                        + ".enabled: false. If each message is to take effect once among all of them, set " + path
                        + ".consumer.");
    }

    /**
     * Forgets containers that were unregistered at run time, for which there is no notification. A registry registers a container before
     * it makes the next one. So a container that isn't registered when the next one is made was removed, or never finished.
     */
    private void forgetUnregistered() {
        List<Decorated> all = decorated.stream().filter(Decorated::registered).toList();
        if (all.isEmpty()) { // and a registry may still be made
            return;
        }
        List<KafkaListenerEndpointRegistry> found = registries.stream().toList(); // each look-up is slow
        List<Decorated> gone = all.stream()
                .filter(each -> found.stream()
                        .noneMatch(registry -> registry.getListenerContainer(
                                        String.valueOf(each.container().getListenerId()))
                                == each.container()))
                .toList();
        if (gone.size() < all.size()) { // otherwise they are in a registry that isn't a bean
            forget(gone);
        }
    }

    private void forget(List<Decorated> gone) {
        decorated.removeAll(gone);
        gone.forEach(each -> registry.forget(each.served()));
    }

    /** The decorated containers, except those of retry topics. */
    public List<Decorated> decorated() {
        return List.copyOf(decorated);
    }

    private static ListenerSpec spec(
            MessageListenerContainer container, String name, @Nullable Deduplicated annotation) {
        ContainerProperties properties = container.getContainerProperties();
        Set<String> topics = new LinkedHashSet<>();
        String[] names = properties.getTopics();
        if (names != null) {
            topics.addAll(List.of(names));
        }
        TopicPartitionOffset[] partitions = properties.getTopicPartitions();
        if (partitions != null) {
            for (TopicPartitionOffset partition : partitions) {
                topics.add(partition.getTopic());
            }
        }
        return new ListenerSpec(
                name,
                container.getGroupId(),
                ContainerConsumers.servers(container),
                topics,
                properties.getTopicPattern(),
                annotation);
    }

    /** That of the method, or of the bean's class: the method may be inherited. */
    private static @Nullable Deduplicated annotation(
            AbstractMessageListenerContainer<?, ?> container, AnnotatedElement annotated) {
        Deduplicated own = AnnotatedElementUtils.findMergedAnnotation(annotated, Deduplicated.class);
        if (own != null || !(annotated instanceof Method method)) {
            return own;
        }
        Object listener = container.getContainerProperties().getMessageListener();
        DirectFieldAccessor fields = listener == null ? null : new DirectFieldAccessor(listener);
        Object bean = fields != null && fields.isReadableProperty("bean") ? fields.getPropertyValue("bean") : null;
        return AnnotatedElementUtils.findMergedAnnotation(
                bean == null ? method.getDeclaringClass() : AopProxyUtils.ultimateTargetClass(bean),
                Deduplicated.class);
    }

    private KafkaDedup open(ServingDeduplicator serving) {
        KafkaDedupBuilder builder = KafkaDedup.builder(serving.deduplicator())
                .claimAhead(settings.isClaimAhead())
                .maxUnfinishedPerPartition(maxUnfinished());
        if (settings.getCoordinatesMarkedSince() != null) {
            builder.coordinatesMarkedSince(settings.getCoordinatesMarkedSince());
        }
        serving.topics().forEach((topic, plan) -> {
            try {
                builder.id(topic, extractor(plan));
            } catch (DedupConfigurationException e) {
                log.debug("Topic {} isn't for Kafka", topic, e); // a listener that reads it all the same was refused
            }
        });
        if (serving.others() != null) {
            builder.id(extractor(serving.others()));
        }
        return builder.build();
    }

    private int maxUnfinished() {
        int records = settings.getMaxUnfinishedPerPartition();
        if (records < 1) {
            throw new DedupConfigurationException(
                    "dedup.kafka.max-unfinished-per-partition is " + records + ", but must be at least 1.",
                    "Change it. The default is 10000.");
        }
        return records;
    }

    private MessageIdExtractor<? super ConsumerRecord<?, ?>> extractor(TopicPlan plan) {
        try {
            return ids.of(plan.id());
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw TopicPlans.idRefused(plan.idProperty(), e);
        }
    }

    /** After the containers have stopped. */
    @Override
    public void close() {
        byDeduplicator.values().forEach(KafkaDedup::close);
    }
}
