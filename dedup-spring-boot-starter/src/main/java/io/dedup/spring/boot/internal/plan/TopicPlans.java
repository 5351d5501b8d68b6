package io.dedup.spring.boot.internal.plan;

import static java.util.Objects.requireNonNull;

import io.dedup.policy.DedupMode;
import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.DedupProperties;
import io.dedup.spring.boot.DedupProperties.StoreType;
import io.dedup.spring.boot.ListenerProperties;
import io.dedup.spring.boot.internal.id.IdExpression;
import io.dedup.spring.boot.internal.text.YamlPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides for each listener and topic whether and how it is deduplicated. Later ones override earlier ones: {@code dedup.defaults},
 * patterns of {@code dedup.topics}, the topic's own entry, {@code Deduplicated}, {@code dedup.listeners}. Thread-safe.
 */
public final class TopicPlans {
    private final SettingsLayer defaults;
    private final TopicEntries topics;
    private final Map<String, ListenerProperties> listeners;
    private final DedupMode defaultMode;

    /** Of topics that are named: each deduplicator of an application has them all. */
    private final Map<String, Optional<TopicPlan>> ofEntries = new ConcurrentHashMap<>();

    /**
     * Checks what can be checked without listeners.
     *
     * @throws DedupConfigurationException names the property
     */
    public TopicPlans(DedupProperties properties) {
        this.defaults = new SettingsLayer("dedup.defaults", properties.getDefaults());
        this.topics = new TopicEntries(properties.getTopics());
        this.listeners = Map.copyOf(properties.getListeners());
        this.defaultMode = properties.getStore() == StoreType.TIERED ? DedupMode.TIERED : DedupMode.LEASED;
        topics.all().forEach(entry -> plan(List.of(entry)));
        listeners.forEach((id, entry) -> {
            SettingsLayer layer = new SettingsLayer(YamlPath.listener(id), entry);
            LayeredPolicy.of(List.of(defaults, layer), defaultMode);
            id(layer);
        });
    }

    /** Whether there are no entries, so that only annotations configure anything. */
    public boolean isEmpty() {
        return topics.all().isEmpty() && listeners.isEmpty();
    }

    public TopicEntries topics() {
        return topics;
    }

    public Set<String> listenerNames() {
        return listeners.keySet();
    }

    /** The entry of a listener; null when there is none. */
    @Nullable
    public ListenerProperties listener(String name) {
        return listeners.get(name);
    }

    /** The plan of a topic for a listener; null where it isn't deduplicated. */
    @Nullable
    public TopicPlan plan(String topic, List<SettingsLayer> own) {
        if (own.isEmpty() && topics.isNamed(topic)) {
            return ofEntries
                    .computeIfAbsent(topic, named -> Optional.ofNullable(plan(topics.of(named))))
                    .orElse(null);
        }
        return plan(Stream.concat(topics.of(topic).stream(), own.stream()).toList());
    }

    /**
     * Returns the plan for the topics that a listener finds by a pattern and that have no entry of their own; null where they aren't
     * deduplicated.
     *
     * @throws DedupConfigurationException when an entry with another pattern sets for some of them what the listener doesn't set itself
     */
    @Nullable
    public TopicPlan plan(String listener, Pattern listens, List<SettingsLayer> own) {
        boolean none = own.stream()
                .anyMatch(each -> Boolean.FALSE.equals(each.settings().getEnabled()));
        for (SettingsLayer partly : topics.partlyMatching(listens)) {
            if (own.isEmpty() || (!none && !partly.isOverriddenBy(own))) {
                throw onlySome(listener, listens, partly);
            }
        }
        return plan(
                Stream.concat(topics.ofPattern(listens).stream(), own.stream()).toList());
    }

    /** The entry of this topic, which is named, isn't for all topics that a listener's pattern finds. */
    DedupConfigurationException onlySome(String listener, Pattern listens, String topic) {
        return onlySome(listener, listens, requireNonNull(topics.named().get(topic)));
    }

    private static DedupConfigurationException onlySome(String listener, Pattern listens, SettingsLayer entry) {
        return new DedupConfigurationException(
                "Listener " + listener + " finds its topics by the pattern " + listens + ", but " + entry.path()
                        + " may apply to only some of them.",
                "Under " + YamlPath.listener(listener) + ", set an id and all that " + entry.path()
                        + " sets, to deduplicate all of them alike, or enabled: false to deduplicate none. Or give an entry of"
                        + " dedup.topics the same pattern.");
    }

    private @Nullable TopicPlan plan(List<SettingsLayer> specific) {
        if (specific.isEmpty()) {
            return null;
        }
        List<SettingsLayer> layers = new ArrayList<>();
        layers.add(defaults);
        layers.addAll(specific);
        boolean on = true;
        SettingsLayer idFrom = null;
        for (SettingsLayer layer : layers) {
            Boolean enabled = layer.settings().getEnabled();
            on = enabled == null ? on : enabled;
            idFrom = layer.settings().getId() == null ? idFrom : layer;
        }
        if (!on) {
            return null;
        }
        SettingsLayer last = layers.get(layers.size() - 1);
        if (idFrom == null) {
            throw new DedupConfigurationException(
                    last.property("id")
                            + " isn't set, and neither is dedup.defaults.id: it is unknown where the message ID"
                            + " is.",
                    "Set " + last.property("id") + " to one of " + IdExpression.FORMS + ".");
        }
        IdExpression id = id(idFrom);
        if (id == null) {
            throw new IllegalStateException("there is an ID expression: " + idFrom);
        }
        return new TopicPlan(id, idFrom.property("id"), LayeredPolicy.of(layers, defaultMode));
    }

    private static @Nullable IdExpression id(SettingsLayer layer) {
        String text = layer.settings().getId();
        try {
            return text == null ? null : IdExpression.parse(text);
        } catch (IllegalArgumentException e) {
            throw idRefused(layer.property("id"), e);
        }
    }

    public static DedupConfigurationException idRefused(String property, RuntimeException e) {
        return new DedupConfigurationException(
                property + " is invalid: " + e.getMessage(), "Change " + property + ".", e);
    }
}
