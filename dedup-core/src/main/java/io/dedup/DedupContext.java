package io.dedup;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a handler may ask about its run. Thread-safe; of no use after the handler has returned. */
public interface DedupContext {
    /** The key of the message; null when it has no usable ID and runs by {@link io.dedup.policy.OnMissingId#PROCESS}. */
    @Nullable
    DedupKey key();

    /** Whether a claim protects this run; false under a policy that runs unguarded, and in shadow mode. */
    boolean guarded();

    /**
     * Which attempt at the message this is; 0 when unguarded. More than 1 tells that an earlier one may have started,
     * and have had effects. What 1 proves depends on the mode:
     *
     * <ul>
     *   <li>{@link io.dedup.policy.DedupMode#LEASED} and {@link io.dedup.policy.DedupMode#LEASED_TRANSACTIONAL}: no earlier guarded attempt started
     *       within the store's attempt retention, unless the message was done and its window is over, an operator has
     *       made the store forget it, or the store has lost its data.
     *   <li>{@link io.dedup.policy.DedupMode#TRANSACTIONAL}: nothing. It is always 1.
     *   <li>{@link io.dedup.policy.DedupMode#TIERED}: nothing. The store in front may have been down, or have forgotten.
     * </ul>
     *
     * <p>What a failed attempt wrote in a transaction of the last three was rolled back; what it did elsewhere stays.
     */
    int attempt();

    /**
     * A number that grows with every claim of this key, for a resource that remembers the highest one it was shown and refuses
     * lower ones; 0 when unguarded, or when the policy switches tokens off. Tokens of different keys can't be compared.
     *
     * <p>Show it to the resource <b>before reading</b> from it, and again with the write. A resource that compares at the write
     * alone lets a paused run write between another run's read and its write, which that one then overwrites. For SQL, with one
     * row for each message ID:
     *
     * <pre>{@code
     * -- before the read, committed at once; no row changed: a later run has begun, so throw
     * UPDATE fence SET token = :token WHERE message_id = :id AND token <= :token;
     * -- with the write, in its transaction; no row found: the same
     * SELECT 1 FROM fence WHERE message_id = :id AND token = :token FOR UPDATE;
     * }</pre>
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
