package io.dedup.benchmarks.kafka;

import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * What one writes by hand to deduplicate a poll with the fewest round trips: one to claim, one to complete. It renews no
 * claims, doesn't distinguish dead claims from live ones, and releases none: a message whose handler fails is lost.
 */
public interface PollMemory extends AutoCloseable {
    /** The IDs among these that weren't known before. */
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
