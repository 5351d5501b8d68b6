package io.dedup.engine;

import io.dedup.DedupContexts;
import io.dedup.Deduplicator;
import io.dedup.internal.direct.DefaultDeduplicator;
import io.dedup.internal.run.ThreadContexts;
import io.dedup.store.DedupStore;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Creates deduplicators, and closes several together. */
public final class Deduplicators {
    private Deduplicators() {}

    /**
     * Returns a builder of a deduplicator that keeps its records in this store. The caller remains responsible for
     * closing the store.
     */
    public static DeduplicatorBuilder builder(DedupStore store) {
        return new DeduplicatorBuilder(store);
    }

    /** Creates an empty register of running handlers, for {@link DeduplicatorBuilder#contexts}. */
    public static DedupContexts contexts() {
        return new ThreadContexts();
    }

    /**
     * Closes several deduplicators as {@link Deduplicator#close} closes one. Their waits for running handlers overlap,
     * so that together they take no longer than the longest {@code shutdownTimeout}.
     */
    public static void closeAll(Collection<? extends Deduplicator> several) {
        List<DefaultDeduplicator> together = new ArrayList<>(several.size());
        List<Deduplicator> others = new ArrayList<>(0); // an application's own
        for (Deduplicator each : several) {
            if (each instanceof DefaultDeduplicator ours) {
                together.add(ours);
            } else {
                others.add(each);
            }
        }
        DefaultDeduplicator.closeAll(together);
        others.forEach(Deduplicator::close);
    }
}
