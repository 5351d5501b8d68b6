package io.dedup.failover.plan;

/** What docs/guarantees.md promises for a scenario. Nothing is lost or stuck in any. */
public enum Promise {
    /** Every message takes effect once. */
    ONCE,
    /** A message that takes effect again has an attempt above 1. */
    TOLD,
    /** The same, but messages that the failover made the store forget may take effect again with attempt 1. */
    FORGETS
}
