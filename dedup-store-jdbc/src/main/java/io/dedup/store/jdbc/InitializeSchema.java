package io.dedup.store.jdbc;

/** Whether a store creates its table when it finds none. */
public enum InitializeSchema {
    /** In a database that runs in this process (H2 in memory or in a file). */
    EMBEDDED,
    ALWAYS,
    /** The table comes from your migrations. */
    NEVER
}
