package io.dedup.testkit.broken;

import io.dedup.store.DedupStore;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * A rule, and a way to break it.
 *
 * @param group the tag of the contract's group that has to notice
 */
public record BrokenStore(String group, String name, UnaryOperator<DedupStore> breakage) {
    /** All of them. */
    public static List<BrokenStore> all() {
        return Stream.of(
                        BrokenOwnership.all(),
                        BrokenClaims.all(),
                        BrokenCounts.all(),
                        BrokenTimes.all(),
                        BrokenKeys.all(),
                        BrokenAnswers.all(),
                        BrokenBatches.all(),
                        BrokenOperators.all(),
                        BrokenImports.all(),
                        BrokenStuck.all(),
                        BrokenErasure.all(),
                        BrokenSteps.all(),
                        BrokenPlaces.all())
                .flatMap(List::stream)
                .toList();
    }

    @Override
    public String toString() {
        return group + ": " + name;
    }
}
