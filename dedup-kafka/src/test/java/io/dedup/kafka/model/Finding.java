package io.dedup.kafka.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an exploration has found.
 *
 * @param depth how many steps the farthest state is away
 * @param cpuMillis what it took of one core
 * @param broken the rule that a state breaks; null when none does
 * @param trace the steps to that state
 */
record Finding(
        Setup setup,
        int states,
        long transitions,
        int depth,
        long cpuMillis,
        @Nullable Rule broken,
        List<String> trace) {

    @Override
    public String toString() {
        StringBuilder words = new StringBuilder();
        words.append(String.format(
                "%-11s %-14s %-23s up to %d faults: %,d states, %,d transitions, depth %d, %,d ms of CPU",
                setup.protocol(),
                setup.handling(),
                setup.layout(),
                setup.faults(),
                states,
                transitions,
                depth,
                cpuMillis));
        if (!setup.mistakes().isEmpty()) {
            words.append("\nPlanted: ").append(setup.mistakes());
        }
        if (broken != null) {
            words.append("\nBroken: ").append(broken);
            for (int i = 0; i < trace.size(); i++) {
                words.append(String.format("%n%3d. %s", i + 1, trace.get(i)));
            }
        }
        return words.toString();
    }
}
