package io.dedup.store;

/** How a release counts the attempt. */
public enum ReleaseMode {
    /** The handler ran, or may have run: the attempt counts. */
    STARTED,
    /**
     * The handler did not run: the attempt does not count. If the claim had taken over one with an expired lease, the next
     * claim takes that one over, and counts its death if this claim had counted it.
     */
    NOT_STARTED,
    /**
     * The handler did not run because the message was rejected as poison: the attempt does not count, and deaths become
     * 0.
     */
    CONVICTED
}
