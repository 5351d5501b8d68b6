package io.dedup.internal.engine;

import io.dedup.DedupListener;
import io.dedup.RunReference;
import io.dedup.internal.run.ThreadContexts;
import io.dedup.internal.thread.EngineThreads;
import io.dedup.privacy.ResultEncryption;
import io.dedup.step.StepCodec;
import io.dedup.store.DedupStore;
import io.dedup.store.transaction.TransactionalRecords;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The settings of an engine.
 *
 * @param sharedCalls whether threads share calls of the store
 * @param records opens the transactions; null if no policy needs them
 * @param instance the name of this process in the records of its claims; null for none
 * @param runReference identifies a run to its later duplicates; null for none
 * @param resultEncryption encrypts results for the store; null to store them as they are
 * @param stepCodec encodes the results of steps by their class; null for simple classes only
 * @param contexts notes which thread handles what; null if nobody asks
 * @param threads perhaps shared with other engines
 * @param shortestLease of all policies; determines how often the heartbeat checks the claims
 * @param shutdownTimeout how long closing waits for running handlers while it renews their leases
 */
public record EngineSettings(
        DedupStore store,
        boolean sharedCalls,
        @Nullable TransactionalRecords records,
        @Nullable String instance,
        List<DedupListener> listeners,
        @Nullable RunReference runReference,
        @Nullable ResultEncryption resultEncryption,
        @Nullable StepCodec stepCodec,
        @Nullable ThreadContexts contexts,
        EngineThreads threads,
        Duration shortestLease,
        Duration shutdownTimeout) {
    public EngineSettings {
        Objects.requireNonNull(store, "store");
        listeners = List.copyOf(listeners);
    }
}
