package io.dedup.testkit.plan;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * How effects are counted: of a message as a whole, or of each of its steps. Not thread-safe.
 *
 * @param sources by the step's name; a single one without a name for the message as a whole
 */
record Effects(Map<String, Supplier<? extends Collection<String>>> sources) {
    static final String WHOLE = "";

    Effects() {
        this(new LinkedHashMap<>());
    }

    boolean areBySteps() {
        return !sources.isEmpty() && !sources.containsKey(WHOLE);
    }

    List<String> steps() {
        return areBySteps() ? List.copyOf(sources.keySet()) : List.of();
    }

    Counts count() {
        Map<String, Map<String, Integer>> counts = new LinkedHashMap<>();
        sources.forEach((step, source) -> {
            Map<String, Integer> ofStep = new HashMap<>();
            source.get().forEach(id -> ofStep.merge(id, 1, Integer::sum));
            counts.put(step, ofStep);
        });
        return new Counts(counts);
    }

    /** How often each step of each message took effect. */
    record Counts(Map<String, Map<String, Integer>> bySteps) {
        /** How often each message took effect: as often as its most frequent step, and not at all if one is missing. */
        Map<String, Integer> whole() {
            Map<String, Integer> whole = new HashMap<>();
            bySteps.values().forEach(ofStep -> ofStep.forEach((id, count) -> whole.merge(id, count, Math::max)));
            whole.keySet().removeIf(id -> bySteps.values().stream().anyMatch(ofStep -> !ofStep.containsKey(id)));
            return whole;
        }

        int of(String step, String id) {
            return bySteps.getOrDefault(step, Map.of()).getOrDefault(id, 0);
        }

        /** Whether any step of the message took effect. */
        boolean hasAny(String id) {
            return bySteps.values().stream().anyMatch(ofStep -> ofStep.containsKey(id));
        }
    }
}
