package io.dedup.store;

/** What a release says about the attempt. */
public enum ReleaseMode {
    /** The handler ran, or may have: the attempt stays counted. */
    STARTED,
    /**
     * The handler never ran: the attempt is given back. Where the claim had taken over a dead one, the record becomes
     * a dead one again, so that the next claim counts that death once more.
     */
    NOT_STARTED,
    /** The handler never ran because the message was found to be poison: the attempt is given back, deaths become 0. */
    CONVICTED
}
