package io.dedup.benchmarks.kafka;

import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * What one writes oneself to deduplicate a poll in the least number of round trips: one to claim, one to complete. Nothing of
 * it renews a claim, tells a dead claim from a live one, or gives one back: what a handler fails at is lost.
 */
public interface PollMemory extends AutoCloseable {
    /** The IDs among these that nobody had. */
    Set<String> claim(Collection<String> ids);

    /** Keeps them as done. */
    void complete(List<String> ids);

    @Override
    void close();

    /** Makes one. */
    interface Maker {
        /** @param run a name that no other run has: letters, digits and minus signs */
        PollMemory make(String run);
    }
}
