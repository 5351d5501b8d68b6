package io.dedup.spring.boot.internal.check;

import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.ListenerProperties;
import io.dedup.spring.boot.internal.check.StartCheck.Warning;
import io.dedup.spring.boot.internal.plan.KnownTopics;
import io.dedup.spring.boot.internal.plan.SettingsLayer;
import io.dedup.spring.boot.internal.plan.TopicEntries;
import io.dedup.spring.boot.internal.plan.TopicPlans;
import io.dedup.spring.boot.internal.text.NearestName;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds entries that no listener is meant by. A key that comes from an environment variable has lost its capitals and
 * hyphens, one without brackets its dots: the topic that was meant would be left alone, which nobody would notice until its
 * effects happen twice.
 */
final class UnusedEntries {
    private static final Pattern DROPPED = Pattern.compile("[^a-z0-9]");

    private final TopicPlans plans;
    private final KnownTopics known;

    UnusedEntries(TopicPlans plans, KnownTopics known) {
        this.plans = plans;
        this.known = known;
    }

    /**
     * Entries that nothing uses.
     *
     * @throws DedupConfigurationException when an entry is certainly meant for a topic, or a listener, of another name
     */
    List<Warning> warnings() {
        List<Warning> warnings = new ArrayList<>();
        plans.topics().named().forEach((topic, entry) -> {
            if (!known.isRead(topic)) {
                refuseMisspelled(topic, entry.path(), known.topics(), "topic", "dedup.topics");
                String nearest = NearestName.of(topic, known.topics());
                if (nearest != null || !known.expectsMoreTopics()) {
                    warnings.add(unused(entry.path(), "topic " + topic, known.subscriptions(), nearest));
                }
            }
        });
        plans.listenerNames().forEach(name -> {
            if (!known.listeners().contains(name)) {
                String path = "dedup.listeners." + name;
                refuseMisspelled(name, path, known.listeners(), "listener", "dedup.listeners");
                Set<String> all = known.listeners();
                warnings.add(unused(path, "listener " + name, all, NearestName.of(name, all)));
            }
        });
        return warnings;
    }

    /**
     * What is wrong when entries ask for deduplication, listeners are there, and not one of these is meant by one of those: most
     * likely a name is misspelt, and every message would take effect as often as it comes.
     *
     * @return null when an entry is meant for a listener, or may be; also without listeners, which may come later
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
                "nothing is deduplicated: no listener subscribes to what "
                        + active.stream().map(SettingsLayer::path).toList() + " name. Listeners subscribe to "
                        + known.subscriptions(),
                (similar.isEmpty()
                                ? "Correct the names"
                                : "Do you mean " + String.join(", ", similar) + "? Correct the name")
                        + " under dedup.topics. If the listeners are registered later, or the settings are shared with other"
                        + " applications, set dedup.checks.refuse-unused: false, which makes this a warning.");
    }

    private boolean anyEntryMatches() {
        TopicEntries topics = plans.topics();
        return known.topics().stream().anyMatch(topic -> !topics.of(topic).isEmpty())
                || known.patterns().stream()
                        .anyMatch(pattern ->
                                !topics.ofPattern(pattern).isEmpty() || topics.partlyMatching(pattern) != null)
                || known.listeners().stream().anyMatch(name -> {
                    ListenerProperties entry = plans.listener(name);
                    return entry != null && !new SettingsLayer("dedup.listeners." + name, entry).isEmpty();
                });
    }

    private static Warning unused(String path, String what, Set<String> known, @Nullable String nearest) {
        return new Warning(
                path + " is set, and this application has no such listener: " + what + " isn't among " + known,
                (nearest == null ? "" : "Do you mean " + nearest + "? ") + "Remove " + path
                        + ", or correct its name; names with other characters than letters, digits and hyphens"
                        + " are written in brackets, as in \"[my.topic]\".");
    }

    private static void refuseMisspelled(String name, String path, Set<String> known, String what, String parent) {
        for (String other : known) {
            if (plain(other).equals(plain(name))) {
                throw new DedupConfigurationException(
                        path + " names " + what + " " + name + ", which nothing reads, while there is a " + what + " "
                                + other + ", which isn't deduplicated by it",
                        "Write the name as it is, in brackets: " + parent + ".\"[" + other + "]\".");
            }
        }
    }

    private static String plain(String name) {
        return DROPPED.matcher(name.toLowerCase(Locale.ROOT)).replaceAll("");
    }
}
