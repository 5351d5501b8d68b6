package io.dedup.spring.boot.internal.plan;

import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.ListenerProperties;
import io.dedup.spring.boot.internal.text.YamlPath;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Plans a listener as it was found: by the configuration of its topics, its annotation and its own entry. Immutable. */
public final class ListenerPlanner {
    private final TopicPlans plans;
    private final AnnotationReader annotations;
    private final UnaryOperator<String> placeholders;

    /**
     * A planner.
     *
     * @param placeholders resolves <code>${...}</code> in annotations
     */
    public ListenerPlanner(TopicPlans plans, UnaryOperator<String> placeholders) {
        this.plans = plans;
        this.annotations = new AnnotationReader(placeholders);
        this.placeholders = placeholders;
    }

    /**
     * Returns how a listener is deduplicated; null when it isn't.
     *
     * @throws DedupConfigurationException when only some of its topics are deduplicated, or its consumer has no name
     */
    public @Nullable PlannedListener plan(ListenerSpec spec) {
        List<SettingsLayer> own = own(spec);
        if (spec.pattern() != null) {
            return ofPattern(spec, spec.pattern(), own);
        }
        Map<String, TopicPlan> byTopic = new LinkedHashMap<>();
        List<String> others = new ArrayList<>();
        for (String topic : spec.topics()) {
            TopicPlan plan = plans.plan(topic, own);
            if (plan == null) {
                others.add(topic);
            } else {
                byTopic.put(topic, plan);
            }
        }
        if (byTopic.isEmpty()) {
            return null;
        }
        if (!others.isEmpty()) {
            throw notAll(spec, byTopic.keySet().toString(), others);
        }
        return new PlannedListener(spec, consumer(spec), isNamed(spec), byTopic, null);
    }

    private @Nullable PlannedListener ofPattern(ListenerSpec spec, Pattern pattern, List<SettingsLayer> own) {
        TopicPlan others = plans.plan(spec.name(), pattern, own);
        Map<String, TopicPlan> byTopic = new LinkedHashMap<>();
        for (String topic : plans.topics().namedMatching(pattern)) {
            TopicPlan plan = plans.plan(topic, own);
            if (plan == null && others != null) {
                throw notAll(spec, "/" + pattern + "/", List.of(topic));
            } else if (plan != null && others == null) {
                throw plans.onlySome(spec.name(), pattern, topic);
            } else if (plan != null) {
                byTopic.put(topic, plan);
            }
        }
        return others == null ? null : new PlannedListener(spec, consumer(spec), isNamed(spec), byTopic, others);
    }

    private static DedupConfigurationException notAll(ListenerSpec spec, String some, List<String> others) {
        return new DedupConfigurationException(
                "Listener " + spec.name() + " reads topics that are deduplicated, " + some
                        + ", and topics that are not, " + others + ". It must be deduplicated for all or for none.",
                "Add " + others + " to dedup.topics, or give them a listener of their own.");
    }

    /**
     * Checks that a listener which has a group of its own isn't given another one, which would have no effect.
     *
     * @throws DedupConfigurationException when its entry or its annotation names another group
     */
    public void requireOwnGroup(ListenerSpec spec) {
        ListenerProperties entry = plans.listener(spec.name());
        if (entry != null && Boolean.FALSE.equals(entry.getEnabled())) {
            return;
        }
        if (entry != null && entry.getConsumerGroup() != null) {
            requireOwnGroup(spec, YamlPath.listener(spec.name()) + ".consumer-group", entry.getConsumerGroup());
        }
        if (spec.annotation() != null) {
            requireOwnGroup(
                    spec,
                    "consumerGroup of its @Deduplicated",
                    placeholders.apply(spec.annotation().consumerGroup()));
        }
    }

    private static void requireOwnGroup(ListenerSpec spec, String setting, String group) {
        if (!group.isEmpty() && !group.equals(spec.group())) {
            throw new DedupConfigurationException(
                    "Listener " + spec.name() + " is in consumer group " + spec.group() + ", but " + setting + " is "
                            + group + ". The setting is only for listeners that don't have a group themselves.",
                    "Remove it, or change the group where the listener is declared. The name within which message IDs are"
                            + " unique is " + YamlPath.listener(spec.name()) + ".consumer.");
        }
    }

    /** How long a call of a method waits that cannot be decided yet; null for the default of its caller. */
    public @Nullable Duration maxWait(ListenerSpec spec) {
        ListenerProperties entry = plans.listener(spec.name());
        Duration wait = entry == null ? null : entry.getMaxWait();
        if (wait != null && wait.isNegative()) {
            throw new DedupConfigurationException(
                    YamlPath.listener(spec.name()) + ".max-wait is negative.", "Set it to zero or more.");
        }
        return wait;
    }

    /** The settings of this listener alone: its annotation and its entry. */
    private List<SettingsLayer> own(ListenerSpec spec) {
        List<SettingsLayer> own = new ArrayList<>();
        if (spec.annotation() != null) {
            add(own, annotations.read(spec.annotation(), spec.name()));
        }
        ListenerProperties entry = plans.listener(spec.name());
        if (entry != null) {
            add(own, new SettingsLayer(YamlPath.listener(spec.name()), entry));
        }
        return own;
    }

    /** A consumer name or a group alone doesn't switch deduplication on. */
    private static void add(List<SettingsLayer> own, SettingsLayer layer) {
        if (!layer.isEmpty()) {
            own.add(layer);
        }
    }

    /** Whether it has settings of its own, its consumer's name among them, beside those of its topics. */
    public boolean isMeant(ListenerSpec spec) {
        return isNamed(spec) || !own(spec).isEmpty();
    }

    private boolean isNamed(ListenerSpec spec) {
        return givenName(spec) != null;
    }

    /** The consumer name that its entry or its annotation gives; null when neither does. */
    private @Nullable String givenName(ListenerSpec spec) {
        ListenerProperties entry = plans.listener(spec.name());
        if (entry != null && entry.getConsumer() != null) {
            return entry.getConsumer();
        }
        return spec.annotation() == null || spec.annotation().consumer().isEmpty()
                ? null
                : placeholders.apply(spec.annotation().consumer());
    }

    /**
     * Returns the consumer name within which IDs are unique.
     *
     * @throws DedupConfigurationException when neither its entry, its annotation nor its group gives one
     */
    private String consumer(ListenerSpec spec) {
        String given = givenName(spec);
        if (given != null) {
            return given;
        }
        if (spec.group() == null || spec.group().isBlank()) {
            throw new DedupConfigurationException(
                    "Listener " + spec.name()
                            + " has no consumer group, so there is no consumer name within which its message IDs are unique.",
                    "Set " + YamlPath.listener(spec.name()) + ".consumer, or give the listener a consumer group.");
        }
        return spec.group();
    }
}
