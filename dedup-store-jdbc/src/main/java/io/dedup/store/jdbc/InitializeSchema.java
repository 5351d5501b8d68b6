package io.dedup.store.jdbc;

/** Whether a store creates its table if it is missing. */
public enum InitializeSchema {
    /** Creates the table in a database that runs in this process (H2 in memory or in a file). */
    EMBEDDED,
    /** Creates the table in every database. */
    ALWAYS,
    /** Never creates the table; your migrations do. */
    NEVER
}
