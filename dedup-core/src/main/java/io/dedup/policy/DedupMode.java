package io.dedup.policy;

/**
 * How a message's record is kept together with its effect. The three transactional modes need
 * {@link io.dedup.engine.DeduplicatorBuilder#transactions}, and an effect in the database that those belong to.
 */
public enum DedupMode {
    /**
     * A claim with a lease, then DONE, both on the store's own: for effects anywhere. A message runs again when its process
     * dies between the effect and DONE, and may run beside itself when its process is paused for longer than the lease.
     */
    LEASED,
    /**
     * A claim with a lease on the store's own, DONE within the handler's transaction: exactly once, also for handlers that
     * take longer than others should be kept waiting by a lock. The store has to be the table of the transactions.
     */
    LEASED_TRANSACTIONAL,
    /**
     * One record, written within the handler's transaction before it runs: exactly once, with one round trip for what is
     * new.
     */
    TRANSACTIONAL,
    /**
     * TRANSACTIONAL with a faster store in front, which answers duplicates without touching the database: exactly once,
     * also when that store forgets or fails.
     */
    TIERED;

    /** Whether the handler runs within a transaction that the framework opens, and its record commits with it. */
    public boolean isTransactional() {
        return this != LEASED;
    }
}
