package io.dedup.simulation;

import io.dedup.simulation.draw.Draws;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What determines a run.
 *
 * @param only the events that happen; null draws them from the seed
 */
record Scenario(
        long seed, Circumstances circumstances, @Nullable List<String> only) {
    /** Draws everything from a seed. */
    static Scenario of(long seed) {
        return new Scenario(seed, Circumstances.draw(new Draws(seed, null)), null);
    }
}
