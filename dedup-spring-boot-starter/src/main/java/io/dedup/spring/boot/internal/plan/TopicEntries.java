package io.dedup.spring.boot.internal.plan;

import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.TopicProperties;
import io.dedup.spring.boot.internal.text.YamlPath;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** The entries of {@code dedup.topics}, by name and by pattern. Immutable. */
public final class TopicEntries {
    private final Map<String, SettingsLayer> byName = new LinkedHashMap<>();
    private final List<ByPattern> byPattern = new ArrayList<>();

    /** An entry for all topics whose whole name matches. */
    public record ByPattern(Pattern pattern, SettingsLayer layer) {
        /** Whether it applies to one of these topics. */
        public boolean matchesAny(Collection<String> topics) {
            return topics.stream().anyMatch(topic -> pattern.matcher(topic).matches());
        }
    }

    /**
     * Reads them.
     *
     * @throws DedupConfigurationException when one contradicts itself or another
     */
    public TopicEntries(Map<String, TopicProperties> entries) {
        entries.forEach((key, entry) -> {
            String path = YamlPath.topic(key);
            SettingsLayer layer = new SettingsLayer(path, entry);
            String regex = entry.getPattern();
            if (regex != null) {
                if (entry.getTopic() != null) {
                    throw new DedupConfigurationException(
                            path + " has both a topic and a pattern, but takes only one of them.",
                            "Remove " + path + ".topic or " + path + ".pattern.");
                }
                byPattern.add(new ByPattern(compiled(path, regex), layer));
                return;
            }
            String topic = entry.getTopic() == null ? key : entry.getTopic();
            SettingsLayer other = byName.putIfAbsent(topic, layer);
            if (other != null) {
                throw new DedupConfigurationException(
                        other.path() + " and " + path + " are both for topic " + topic + ".",
                        "Remove one of them, or change its topic.");
            }
        });
    }

    private static Pattern compiled(String path, String regex) {
        try {
            return Pattern.compile(regex);
        } catch (PatternSyntaxException e) {
            throw new DedupConfigurationException(
                    path + ".pattern is not a regular expression: " + e.getDescription() + ": " + regex,
                    "Change " + path + ".pattern. For example, orders.* matches every topic that begins with orders.",
                    e);
        }
    }

    /** The settings for a topic: patterns in the order they are written, then its own entry. */
    public List<SettingsLayer> of(String topic) {
        List<SettingsLayer> layers = new ArrayList<>();
        for (ByPattern entry : byPattern) {
            if (entry.pattern().matcher(topic).matches()) {
                layers.add(entry.layer());
            }
        }
        SettingsLayer exact = byName.get(topic);
        if (exact != null) {
            layers.add(exact);
        }
        return layers;
    }

    /** The settings for all topics that a listener's pattern may find: entries with that pattern, or for every topic. */
    public List<SettingsLayer> ofPattern(Pattern listens) {
        return byPattern.stream()
                .filter(entry -> isForAll(entry, listens))
                .map(ByPattern::layer)
                .toList();
    }

    /** Entries with another pattern, which may apply to only some of the topics that a listener's pattern finds. */
    List<SettingsLayer> partlyMatching(Pattern listens) {
        return byPattern.stream()
                .filter(entry -> !isForAll(entry, listens))
                .map(ByPattern::layer)
                .toList();
    }

    /** Topics that are named, and that a listener's pattern finds where they exist. */
    List<String> namedMatching(Pattern listens) {
        return byName.keySet().stream()
                .filter(topic -> listens.matcher(topic).matches())
                .toList();
    }

    /** Whether an entry may apply to a topic that a listener's pattern finds. */
    public boolean mayApply(Pattern listens) {
        return !byPattern.isEmpty() || !namedMatching(listens).isEmpty();
    }

    private static boolean isForAll(ByPattern entry, Pattern listens) {
        String regex = entry.pattern().pattern();
        return regex.equals(listens.pattern()) || regex.equals(".*");
    }

    boolean isNamed(String topic) {
        return byName.containsKey(topic);
    }

    /** Topics that are named, with their entries. */
    public Map<String, SettingsLayer> named() {
        return Map.copyOf(byName);
    }

    /** Entries with a pattern. */
    public List<ByPattern> patterns() {
        return List.copyOf(byPattern);
    }

    /** Entries that ask for deduplication. */
    public List<SettingsLayer> active() {
        return all().stream()
                .filter(layer -> !Boolean.FALSE.equals(layer.settings().getEnabled()))
                .toList();
    }

    /** All entries. */
    public List<SettingsLayer> all() {
        List<SettingsLayer> all = new ArrayList<>(byName.values());
        byPattern.forEach(entry -> all.add(entry.layer()));
        return all;
    }
}
