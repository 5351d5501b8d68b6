package io.dedup.simulation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What determines a run.
 *
 * @param only the events that happen; null draws them from the seed
 */
public record Scenario(
        long seed, Drawn circumstances, @Nullable List<String> only) {}
