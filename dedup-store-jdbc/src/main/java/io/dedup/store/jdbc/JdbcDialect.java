package io.dedup.store.jdbc;

import io.dedup.store.jdbc.internal.sql.Database;

/** The database of a store; derived from the connection's metadata unless set. */
public enum JdbcDialect {
    /**
     * PostgreSQL 12 or newer. One round trip per operation, however many messages it has; a single record in a transaction may take
     * two.
     */
    POSTGRESQL(Database.POSTGRESQL),
    /** MariaDB 10.6 or newer. As many round trips as {@link #POSTGRESQL}. */
    MARIADB(Database.MARIADB),
    /** MySQL 8.0 or newer. One round trip per operation, two for claims. */
    MYSQL(Database.MYSQL),
    /** H2 2.2 or newer. A read and a write per operation; no round trips if it runs in this process. */
    H2(Database.H2),
    /**
     * Any database with a binary type for keys and a clock with a time zone. A read and a write per operation; the
     * writes of a batch take one statement per key.
     */
    GENERIC(Database.GENERIC);

    private final Database database;

    JdbcDialect(Database database) {
        this.database = database;
    }

    Database database() {
        return database;
    }

    /** Returns the class path resource with the DDL for this dialect. */
    public String schemaResource() {
        return database.schemaResource();
    }
}
