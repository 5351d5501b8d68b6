package io.dedup.benchmarks.subject;

import io.dedup.store.DedupStore;

/** A store that is filled before it is measured. */
public interface PrefilledStore extends AutoCloseable {
    /** The store and its version. */
    String name();

    DedupStore store();

    /** Stores the {@link io.dedup.benchmarks.measure.Ids} of the numbers from 0 to {@code size} as done. */
    void fill(int size);

    /** Removes all records. */
    void clear();

    @Override
    void close();
}
