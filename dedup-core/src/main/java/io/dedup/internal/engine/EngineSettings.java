package io.dedup.internal.engine;

import io.dedup.DedupListener;
import io.dedup.RunReference;
import io.dedup.store.DedupStore;
import io.dedup.store.transaction.TransactionalRecords;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What an engine is made of.
 *
 * @param records opens the transactions; null where no policy wants one
 * @param instance what this process is called in the records of its claims; null for nothing
 * @param runReference what duplicates learn of the first run; null for nothing
 * @param shortestLease of all policies that deliveries will come with; sets how often the heartbeat looks
 * @param shutdownTimeout how long the end waits for running handlers while it renews their leases
 */
public record EngineSettings(
        DedupStore store,
        @Nullable TransactionalRecords records,
        @Nullable String instance,
        List<DedupListener> listeners,
        @Nullable RunReference runReference,
        Duration shortestLease,
        Duration shutdownTimeout) {
    public EngineSettings {
        Objects.requireNonNull(store, "store");
        listeners = List.copyOf(listeners);
    }
}
