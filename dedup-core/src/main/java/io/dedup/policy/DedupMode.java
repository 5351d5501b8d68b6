package io.dedup.policy;

/**
 * How a message's record is written relative to the handler's effect. The three transactional modes need
 * {@link io.dedup.engine.DeduplicatorBuilder#transactions}, and an effect in the database of those transactions.
 */
public enum DedupMode {
    /**
     * The store keeps a claim with a lease, then DONE, independently of the effect. Suits effects of any kind. A
     * message is handled again if the process crashes after the effect but before DONE is written, and may be handled
     * twice at the same time if the process pauses for longer than the lease.
     */
    LEASED,
    /**
     * The store keeps a claim with a lease; DONE is written in the handler's transaction. The message takes effect
     * exactly once, also with long-running handlers, because no database lock blocks duplicates meanwhile. The store
     * must use the table of the transactions.
     */
    LEASED_TRANSACTIONAL,
    /**
     * One record, written in the handler's transaction before the handler runs. The message takes effect exactly once,
     * with one round trip for a new message.
     */
    TRANSACTIONAL,
    /**
     * Like TRANSACTIONAL, with a faster front store that answers duplicates without accessing the database. The message
     * takes effect exactly once even if the front store loses data or fails.
     */
    TIERED;

    /**
     * Whether the handler runs in a transaction that the framework opens, and its record commits with that transaction.
     */
    public boolean isTransactional() {
        return this != LEASED;
    }
}
