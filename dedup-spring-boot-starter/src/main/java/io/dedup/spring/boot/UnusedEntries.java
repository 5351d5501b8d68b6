package io.dedup.spring.boot;

import io.dedup.spring.boot.StartCheck.Warning;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Finds entries that no listener is meant by. A key that comes from an environment variable has lost its capitals and
 * hyphens, one without brackets its dots: the topic that was meant would be left alone, which nobody would notice until its
 * effects happen twice.
 */
final class UnusedEntries {
    private static final Pattern DROPPED = Pattern.compile("[^a-z0-9]");

    private final Plans plans;
    private final KnownTopics known;
    private final DedupUnits units;

    UnusedEntries(Plans plans, KnownTopics known, DedupUnits units) {
        this.plans = plans;
        this.known = known;
        this.units = units;
    }

    /**
     * Entries that nothing uses.
     *
     * @throws DedupConfigurationException when an entry is certainly meant for a topic, or a listener, of another name
     */
    List<Warning> warnings() {
        List<Warning> warnings = new ArrayList<>();
        boolean anyPattern = known.moreComeLater() || units.units().stream().anyMatch(unit -> unit.others() != null);
        plans.topics().named().forEach((topic, entry) -> {
            if (!known.topics().contains(topic)) {
                refuseMisspelled(topic, entry.path(), known.topics(), "topic", "dedup.topics");
                if (!anyPattern) {
                    warnings.add(unused(entry.path(), "topic " + topic, known.topics()));
                }
            }
        });
        plans.listenerNames().forEach(name -> {
            if (!known.listeners().contains(name)) {
                String path = "dedup.listeners." + name;
                refuseMisspelled(name, path, known.listeners(), "listener", "dedup.listeners");
                warnings.add(unused(path, "listener " + name, known.listeners()));
            }
        });
        return warnings;
    }

    private static Warning unused(String path, String what, Set<String> known) {
        return new Warning(
                path + " is set, and this application has no such listener: " + what + " isn't among " + known,
                "Remove " + path + ", or correct its name; names with other characters than letters, digits and hyphens"
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
