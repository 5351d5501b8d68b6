package io.dedup.store.jdbc.internal.failure;

/** The kinds of database exceptions, by how the store reacts. */
public enum FailureKind {
    /** The database rolled the statement back because of another session: repeat it. */
    RACE,
    /** Another session has locked a row for longer than the lock timeout. */
    LOCKED,
    /** The connection failed or did not answer in time: do not use it any further. */
    NO_ANSWER,
    /** The statement exceeds the limit of the server or the driver; nothing was done. */
    TOO_LARGE,
    /** Anything else. */
    OTHER
}
