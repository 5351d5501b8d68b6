package io.dedup.store.jdbc.internal.failure;

/** What to do about an exception of the database. */
public enum FailureKind {
    /** The database undid the statement because of another session's: ask again. */
    RACE,
    /** Another session holds a row longer than the lock time-out. */
    LOCKED,
    /** The connection is gone, or gives no answer in time: don't go on with it. */
    NO_ANSWER,
    /** The statement is larger than the server, or the driver on its behalf, takes: nothing of it was done. */
    TOO_LARGE,
    /** Anything else. */
    OTHER
}
