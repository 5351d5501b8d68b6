package io.dedup.spring.boot.internal.check;

import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.ListenerProperties;
import io.dedup.spring.boot.internal.check.RiskCheck.Warning;
import io.dedup.spring.boot.internal.plan.KnownTopics;
import io.dedup.spring.boot.internal.plan.SettingsLayer;
import io.dedup.spring.boot.internal.plan.TopicEntries;
import io.dedup.spring.boot.internal.plan.TopicPlans;
import io.dedup.spring.boot.internal.text.NearestName;
import io.dedup.spring.boot.internal.text.YamlPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds entries that apply to no listener. A key from an environment variable has lost its capitals and hyphens, and a key without
 * brackets its dots. The intended topic would not be deduplicated, and nobody would notice until its effects happen twice.
 */
final class UnusedEntries {
    private static final Pattern DROPPED = Pattern.compile("[^a-z0-9]");

    /** What most patterns have beside the text of a name. */
    private static final Pattern OF_REGEX = Pattern.compile("\\\\|\\.[*+]|[()^$]");

    private final TopicPlans plans;
    private final KnownTopics known;

    UnusedEntries(TopicPlans plans, KnownTopics known) {
        this.plans = plans;
        this.known = known;
    }

    /**
     * Returns a warning for each entry that no listener uses.
     *
     * @throws DedupConfigurationException when an entry is certainly meant for a topic or listener with a similar name
     */
    List<Warning> warnings() {
        List<Warning> warnings = new ArrayList<>();
        plans.topics().named().forEach((topic, entry) -> {
            if (!known.isRead(topic)) {
                refuseMisspelled(
                        topic, entry.path(), known.topics(), "topic", "no listener subscribes to", "dedup.topics");
                String nearest = NearestName.of(topic, known.topics());
                if (nearest != null || !known.expectsMoreTopics()) {
                    warnings.add(unused(
                            entry.path(),
                            "no listener subscribes to topic " + topic + ". Listeners subscribe to "
                                    + known.subscriptions(),
                            nearest));
                }
            }
        });
        if (known.patterns().isEmpty() && !known.expectsMoreTopics()) { // these may find topics that match
            plans.topics().patterns().stream()
                    .filter(entry -> !entry.matchesAny(known.topics()))
                    .forEach(entry -> warnings.add(unused(
                            entry.layer().path(),
                            "no listener subscribes to a topic whose whole name matches its pattern " + entry.pattern()
                                    + ". Listeners subscribe to " + known.subscriptions(),
                            NearestName.of(
                                    OF_REGEX.matcher(entry.pattern().pattern()).replaceAll(""), known.topics()))));
        }
        plans.listenerNames().forEach(name -> {
            if (!known.listeners().contains(name)) {
                String path = YamlPath.listener(name);
                Set<String> all = known.listeners();
                refuseMisspelled(name, path, all, "listener", "does not exist", "dedup.listeners");
                warnings.add(unused(
                        path,
                        "there is no listener " + name + ". The listeners are " + all,
                        NearestName.of(name, all)));
            }
        });
        return warnings;
    }

    /**
     * Returns a warning if there are entries and listeners, but no entry applies to any listener. Most likely a name is misspelt, and
     * nothing would be deduplicated.
     *
     * @return null when an entry applies to a listener, or may apply; also without listeners, which may be registered later
     */
    @Nullable
    Warning noListenerMatches() {
        List<SettingsLayer> active = plans.topics().active();
        if (active.isEmpty() || anyEntryMatches() || known.listeners().isEmpty() || known.expectsMoreTopics()) {
            return null;
        }
        List<String> similar = new ArrayList<>();
        plans.topics().named().keySet().stream().sorted().forEach(topic -> {
            String nearest = NearestName.of(topic, known.topics());
            if (nearest != null) {
                similar.add(nearest + " instead of " + topic);
            }
        });
        return new Warning(
                "Nothing is deduplicated: no listener subscribes to a topic of "
                        + active.stream().map(SettingsLayer::path).toList() + ". Listeners subscribe to "
                        + known.subscriptions(),
                (similar.isEmpty()
                                ? "Correct the names"
                                : "Did you mean " + String.join(", ", similar) + "? Correct the name")
                        + " under dedup.topics. If the listeners are registered later or lazily (spring.main.lazy-initialization), if a"
                        + " condition such as @ConditionalOnProperty switches them off here, or if several applications share these"
                        + " settings, set dedup.checks.refuse-unused: false to make this a warning.");
    }

    /** Returns a warning if there is no entry at all, such as with a profile that isn't active, or lines indented wrongly. */
    List<Warning> nothingConfigured() {
        if (!plans.isEmpty() || known.expectsMoreTopics()) {
            return List.of();
        }
        return List.of(new Warning(
                "dedup.store is set, but nothing is deduplicated: there are no dedup.topics, dedup.listeners or"
                        + " dedup.http.paths, and no @Deduplicated. Listeners subscribe to " + known.subscriptions(),
                "Check that the file or profile with dedup.topics is active, and that topics is indented below dedup. If"
                        + " nothing is to be deduplicated, set dedup.enabled: false."));
    }

    private boolean anyEntryMatches() {
        TopicEntries topics = plans.topics();
        return known.topics().stream().anyMatch(topic -> !topics.of(topic).isEmpty())
                || known.patterns().stream().anyMatch(topics::mayApply)
                || known.listeners().stream().anyMatch(name -> {
                    ListenerProperties entry = plans.listener(name);
                    return entry != null && !new SettingsLayer(YamlPath.listener(name), entry).isEmpty();
                });
    }

    private static Warning unused(String path, String problem, @Nullable String nearest) {
        return new Warning(
                path + " is set, but " + problem,
                (nearest == null ? "" : "Did you mean " + nearest + "? ") + "Remove " + path
                        + ", or correct its name. Names with characters other than letters, digits and hyphens"
                        + " need brackets: \"[my.topic]\".");
    }

    private static void refuseMisspelled(
            String name, String path, Set<String> known, String what, String problem, String parent) {
        for (String other : known) {
            if (plain(other).equals(plain(name))) {
                throw new DedupConfigurationException(
                        path + " is for " + what + " " + name + ", which " + problem + ". There is a " + what + " "
                                + other + ", but this entry does not apply to it.",
                        "Write the exact name in brackets: " + parent + ".\"[" + other + "]\".");
            }
        }
    }

    private static String plain(String name) {
        return DROPPED.matcher(name.toLowerCase(Locale.ROOT)).replaceAll("");
    }
}
