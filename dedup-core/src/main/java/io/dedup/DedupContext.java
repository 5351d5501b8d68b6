package io.dedup;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a handler may ask about its run. Thread-safe; of no use after the handler has returned. */
public interface DedupContext {
    /** The key of the message; null when it has no usable ID and runs by {@link OnMissingId#PROCESS}. */
    @Nullable
    DedupKey key();

    /** Whether a claim protects this run; false under a policy that runs unguarded, and in shadow mode. */
    boolean guarded();

    /**
     * 1 proves that no earlier attempt started within the store's attempt retention; more tells that one did, and may
     * have had effects; 0 when unguarded.
     */
    int attempt();

    /**
     * A number that grows with every claim of this key, for a resource that can refuse writes with a lower one than
     * it has seen; 0 when unguarded, or when the policy switches tokens off.
     *
     * <p>The idea is Martin Kleppmann's: <i>How to do distributed locking</i> (2016).
     */
    long fencingToken();

    /**
     * Whether another consumer may run this message by now: the store said so, or the lease couldn't be renewed in
     * time by this process's own clock. A handler that sees true before its effect should throw. False when unguarded.
     */
    boolean leaseLost();

    /** How long the lease holds by this process's own clock if no renewal succeeds; zero when lost or unguarded. */
    Duration leaseRemaining();
}
