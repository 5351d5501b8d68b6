package io.dedup.spring.boot.internal.deduplicator;

import io.dedup.DedupListener;
import io.dedup.DedupPolicy;
import io.dedup.Deduplicator;
import io.dedup.DeduplicatorBuilder;
import io.dedup.RunReference;
import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.DedupProperties;
import io.dedup.spring.boot.internal.plan.PlannedListener;
import io.dedup.spring.boot.internal.plan.Plans;
import io.dedup.spring.boot.internal.plan.Policies;
import io.dedup.spring.boot.internal.plan.TopicPlan;
import io.dedup.spring.boot.internal.store.DedupStores;
import io.dedup.spring.boot.internal.text.YamlNames;
import io.dedup.store.DedupStore;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

/**
 * The deduplicators of an application: one for each consumer, and one more for each listener that treats a topic in its own
 * way. Thread-safe.
 */
public final class DedupUnits implements AutoCloseable {
    private final DedupProperties properties;
    private final @Nullable String instance;
    private final Plans plans;
    private final DedupStores stores;
    private final ObjectProvider<DedupListener> listeners;
    private final ObjectProvider<UnitListener> unitListeners;
    private final ObjectProvider<RunReference> runReference;
    private final List<DedupUnit> units = new ArrayList<>();
    private final List<Served> served = new ArrayList<>();

    /** A listener that is deduplicated, and by what. */
    public record Served(PlannedListener listener, DedupUnit unit) {}

    public DedupUnits(
            DedupProperties properties,
            Plans plans,
            DedupStores stores,
            ObjectProvider<DedupListener> listeners,
            ObjectProvider<UnitListener> unitListeners,
            ObjectProvider<RunReference> runReference) {
        this.properties = properties;
        this.instance = InstanceName.of(properties);
        this.plans = plans;
        this.stores = stores;
        this.listeners = listeners;
        this.unitListeners = unitListeners;
        this.runReference = runReference;
    }

    /**
     * Finds the unit that serves a listener, and remembers that it does.
     *
     * @param check refuses the listener, which isn't remembered then, by an exception
     * @throws DedupConfigurationException when it can't be served; says what to change
     */
    public synchronized Served serve(String broker, PlannedListener listener, Consumer<DedupUnit> check) {
        requireOneGroup(broker, listener);
        DedupUnit unit = units.stream()
                .filter(each -> each.serves(broker, listener))
                .findFirst()
                .orElseGet(() -> open(broker, listener));
        check.accept(unit);
        Served added = new Served(listener, unit);
        served.add(added);
        return added;
    }

    /** The listener is no longer there. Its unit stays, for listeners that are made later. */
    public synchronized void forget(Served gone) {
        served.remove(gone);
    }

    /** Two groups under one consumer name would each take what the other has handled for duplicates. */
    private void requireOneGroup(String broker, PlannedListener listener) {
        for (Served each : served) {
            PlannedListener other = each.listener();
            boolean sameGroup = each.unit().broker().equals(broker)
                    && Objects.equals(other.spec().group(), listener.spec().group());
            if (other.consumer().equals(listener.consumer()) && !sameGroup && other.overlaps(listener)) {
                throw new DedupConfigurationException(
                        "listeners " + other.spec().name() + " (" + each.unit().broker() + ", group "
                                + other.spec().group() + ") and "
                                + listener.spec().name() + " (" + broker + ", group "
                                + listener.spec().group() + ") read the same topics under the consumer name "
                                + listener.consumer() + ": each would take what the other has handled for duplicates,"
                                + " and lose it",
                        "Set dedup.listeners." + listener.spec().name()
                                + ".consumer to another name. Changing a consumer name forgets windows.");
            }
        }
    }

    private DedupUnit open(String broker, PlannedListener listener) {
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
        DedupUnit unit =
                new DedupUnit(broker, deduplicator(listener, topics), Map.copyOf(topics), listener.byPattern());
        units.add(unit);
        unitListeners.orderedStream().forEach(each -> each.opened(unit.deduplicator()));
        return unit;
    }

    private Deduplicator deduplicator(PlannedListener listener, Map<String, TopicPlan> topics) {
        DedupStore store = stores.store();
        DeduplicatorBuilder builder = Deduplicator.builder(store)
                .consumer(listener.consumer())
                .shutdownTimeout(properties.getShutdownTimeout());
        if (instance != null) {
            builder.instance(instance);
        }
        TopicPlan others = listener.byPattern();
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
        runReference.ifAvailable(builder::runReference);
        listeners.orderedStream().forEach(builder::listener);
        unitListeners
                .orderedStream()
                .forEach(factory -> builder.listener(factory.of(listener.consumer(), topic -> {
                    TopicPlan plan = topics.getOrDefault(topic, others);
                    return plan == null ? defaults : plan.policy();
                })));
        try {
            return builder.build();
        } catch (IllegalArgumentException e) {
            throw new DedupConfigurationException(
                    "consumer " + listener.consumer() + ", listener "
                            + listener.spec().name() + ": " + Policies.inKebabCase(String.valueOf(e.getMessage())),
                    "With dedup.store: jdbc the modes leased, leased-transactional and transactional are there, with tiered"
                            + " the modes tiered, transactional and leased, with redis and memory leased, and transactional"
                            + " where there is a table besides, which has its records then.",
                    e);
        }
    }

    private static @Nullable String transactionalProperty(Map<String, TopicPlan> topics, @Nullable TopicPlan others) {
        return Stream.concat(topics.values().stream(), Stream.ofNullable(others))
                .filter(plan -> plan.policy().mode().isTransactional())
                .map(plan ->
                        "mode " + name(plan.policy().mode()) + " (of what takes its ID from " + plan.idProperty() + ")")
                .findFirst()
                .orElse(null);
    }

    public static String name(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The listeners that are deduplicated. */
    public synchronized List<Served> served() {
        return List.copyOf(served);
    }

    /** All deduplicators. */
    public synchronized List<DedupUnit> units() {
        return List.copyOf(units);
    }

    /** After the adapters, and before the stores. All of them wait within one {@code dedup.shutdown-timeout}. */
    @Override
    public void close() {
        Deduplicator.closeAll(units().stream().map(DedupUnit::deduplicator).toList());
    }
}
