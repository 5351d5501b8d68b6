package io.dedup;

/** What an operator's command does while a handler holds a live lease of the message. */
public enum LiveLease {
    /** The command changes nothing and answers {@link OperatorResult#LEASE_LIVE}. */
    RESPECT,
    /** The command is applied all the same: only for a handler that is known to be dead, else two run side by side. */
    OVERRIDE
}
