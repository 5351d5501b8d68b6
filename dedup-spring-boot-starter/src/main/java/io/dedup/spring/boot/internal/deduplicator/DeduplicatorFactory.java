package io.dedup.spring.boot.internal.deduplicator;

import io.dedup.DedupContexts;
import io.dedup.DedupListener;
import io.dedup.Deduplicator;
import io.dedup.RunReference;
import io.dedup.engine.DeduplicatorBuilder;
import io.dedup.engine.Deduplicators;
import io.dedup.policy.DedupPolicy;
import io.dedup.privacy.OtherHashKeyException;
import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.DedupProperties;
import io.dedup.spring.boot.internal.plan.PlannedListener;
import io.dedup.spring.boot.internal.plan.PlannedPath;
import io.dedup.spring.boot.internal.plan.TopicPlan;
import io.dedup.spring.boot.internal.plan.TopicPlans;
import io.dedup.spring.boot.internal.store.DedupStores;
import io.dedup.spring.boot.internal.text.SettingText;
import io.dedup.spring.boot.internal.text.YamlNames;
import io.dedup.step.StepCodec;
import io.dedup.store.DedupStore;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

/** Makes deduplicators of plans, with the stores and listeners of the application. Thread-safe. */
public final class DeduplicatorFactory {
    private final DedupProperties properties;
    private final @Nullable String instance;
    private final Privacy privacy;
    private final TopicPlans plans;
    private final DedupStores stores;
    private final ObjectProvider<DedupListener> listeners;
    private final ObjectProvider<DeduplicatorListenerFactory> listenerFactories;
    private final ObjectProvider<RunReference> runReference;
    private final ObjectProvider<StepCodec> stepCodec;
    private final DedupContexts contexts;
    private final AtomicReference<@Nullable Deduplicator> first = new AtomicReference<>();

    public DeduplicatorFactory(
            DedupProperties properties,
            TopicPlans plans,
            DedupStores stores,
            ObjectProvider<DedupListener> listeners,
            ObjectProvider<DeduplicatorListenerFactory> listenerFactories,
            ObjectProvider<RunReference> runReference,
            ObjectProvider<StepCodec> stepCodec,
            DedupContexts contexts) {
        this.properties = properties;
        this.instance = InstanceName.of(properties);
        this.privacy = Privacy.of(properties.getPrivacy());
        this.plans = plans;
        this.stores = stores;
        this.listeners = listeners;
        this.listenerFactories = listenerFactories;
        this.runReference = runReference;
        this.stepCodec = stepCodec;
        this.contexts = contexts;
    }

    /**
     * Makes a deduplicator that serves a listener, and others of its consumer that are planned alike.
     *
     * @throws DedupConfigurationException when it cannot be made; says what to change
     */
    ServingDeduplicator open(String broker, PlannedListener listener) {
        Map<String, TopicPlan> topics = new LinkedHashMap<>();
        if (listener.byPattern() == null) {
            // What other listeners of this consumer may read, so that they can share it.
            plans.topics().named().keySet().forEach(topic -> {
                TopicPlan plan = plans.plan(topic, List.of());
                if (plan != null) {
                    topics.put(topic, plan);
                }
            });
        }
        topics.putAll(listener.byTopic());
        return new ServingDeduplicator(
                broker,
                deduplicator("Listener " + listener.spec().name(), listener.consumer(), topics, listener.byPattern()),
                Map.copyOf(topics),
                listener.byPattern());
    }

    /**
     * Makes a deduplicator that serves paths of one consumer.
     *
     * @throws DedupConfigurationException when it cannot be made; says what to change
     */
    ServingDeduplicator open(List<PlannedPath> paths) {
        Map<String, TopicPlan> topics = new LinkedHashMap<>();
        paths.forEach(path -> topics.put(path.topic(), path.plan()));
        PlannedPath first = paths.get(0);
        return new ServingDeduplicator(
                DeduplicatedPath.BROKER,
                deduplicator(first.property(), first.consumer(), topics, null),
                Map.copyOf(topics),
                null);
    }

    /** Reports a deduplicator that is in use from now on. */
    void announce(Deduplicator opened) {
        listenerFactories.orderedStream().forEach(each -> each.opened(opened));
    }

    /** Reports what is deduplicated from now on. */
    void announce(String consumer, Set<String> topics) {
        listenerFactories.orderedStream().forEach(each -> each.serving(consumer, topics));
    }

    private Deduplicator deduplicator(
            String what, String consumer, Map<String, TopicPlan> topics, @Nullable TopicPlan others) {
        DedupStore store = stores.store();
        DeduplicatorBuilder builder =
                Deduplicators.builder(store).consumer(consumer).contexts(contexts);
        Deduplicator other = first.get();
        if (other != null) {
            builder.threadsOf(other);
        }
        setShutdownTimeout(builder);
        builder.sharedStoreCalls(properties.isSharedStoreCalls());
        if (instance != null) {
            builder.instance(instance);
        }
        DedupPolicy defaults = others == null
                ? DedupPolicy.builder()
                        .settingNames(new YamlNames("dedup.defaults"))
                        .build()
                : others.policy();
        builder.defaults(defaults);
        topics.forEach((topic, plan) -> builder.topic(topic, ignored -> plan.policy().toBuilder()));
        String transactional = transactionalProperty(topics, others);
        if (transactional != null) {
            builder.transactions(stores.transactions(transactional));
        }
        privacy.applyTo(builder);
        runReference.ifAvailable(builder::runReference);
        stepCodec.ifAvailable(builder::stepCodec);
        listeners.orderedStream().forEach(builder::listener);
        listenerFactories
                .orderedStream()
                .forEach(factory -> builder.listener(factory.of(consumer, topic -> {
                    TopicPlan plan = topics.getOrDefault(topic, others);
                    return plan == null ? defaults : plan.policy();
                })));
        try {
            Deduplicator built = builder.build();
            first.compareAndSet(null, built);
            return built;
        } catch (OtherHashKeyException e) {
            throw new DedupConfigurationException(
                    YamlNames.inYaml(String.valueOf(e.getMessage())) + ".",
                    "Set dedup.privacy.id-hash-key to the former key.",
                    e);
        } catch (IllegalArgumentException e) {
            throw new DedupConfigurationException(
                    what + " (consumer " + consumer + ") cannot be deduplicated: "
                            + YamlNames.inYaml(String.valueOf(e.getMessage())),
                    "Choose a mode that the store supports. dedup.store: jdbc supports leased, leased-transactional and"
                            + " transactional; tiered supports tiered, transactional and leased; redis and memory support leased,"
                            + " and transactional if there is a table as well, which then keeps these records.",
                    e);
        }
    }

    private void setShutdownTimeout(DeduplicatorBuilder builder) {
        try {
            builder.shutdownTimeout(properties.getShutdownTimeout());
        } catch (IllegalArgumentException e) {
            throw new DedupConfigurationException(
                    YamlNames.inYaml(String.valueOf(e.getMessage())),
                    "Change dedup.shutdown-timeout. The default is 30s.",
                    e);
        }
    }

    private static @Nullable String transactionalProperty(Map<String, TopicPlan> topics, @Nullable TopicPlan others) {
        return Stream.concat(topics.values().stream(), Stream.ofNullable(others))
                .filter(plan -> plan.policy().mode().isTransactional())
                .map(plan -> "Mode " + SettingText.of(plan.policy().mode()) + " (of the topics whose ID is set by "
                        + plan.idProperty() + ")")
                .findFirst()
                .orElse(null);
    }
}
