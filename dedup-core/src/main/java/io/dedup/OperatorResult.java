package io.dedup;

/** What a store answers to an operator's {@code forget} or {@code forceDone}. */
public enum OperatorResult {
    APPLIED,
    /** There is no record of this key. */
    ABSENT,
    /** Refused: a handler holds a live lease. Force it only when that handler is known to be dead. */
    LEASE_LIVE
}
