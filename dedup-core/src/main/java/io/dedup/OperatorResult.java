package io.dedup;

/** The result of an operator's command, such as {@code forget} or {@code forceDone}. */
public enum OperatorResult {
    /** The command was applied. */
    APPLIED,
    /** There is no record for this key. */
    ABSENT,
    /** Refused, because a handler holds a live lease. Override it only if that handler is known to be dead. */
    LEASE_LIVE
}
