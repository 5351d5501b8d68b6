package io.dedup;

/** What an operator's command does while a handler holds a live lease for the message. */
public enum LiveLease {
    /** The command changes nothing and returns {@link OperatorResult#LEASE_LIVE}. */
    RESPECT,
    /**
     * The command is applied anyway. Use it only if the handler is known to be dead; otherwise the message can be
     * handled twice at the same time.
     */
    OVERRIDE
}
