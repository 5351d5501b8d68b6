package io.dedup.store.jdbc;

import io.dedup.store.jdbc.internal.sql.Database;

/** Which database a store talks to. Found out from the connection's metadata unless set. */
public enum JdbcDialect {
    /** PostgreSQL 12 or newer. One round trip per operation, single or batch; a single record in a transaction may take two. */
    POSTGRESQL(Database.POSTGRESQL),
    /** MariaDB 10.6 or newer. Round trips as with {@link #POSTGRESQL}. */
    MARIADB(Database.MARIADB),
    /** MySQL 8.0 or newer. One round trip per operation, two for claims. */
    MYSQL(Database.MYSQL),
    /** H2 2.2 or newer. A read and a write per operation; neither is a round trip where it runs in this process. */
    H2(Database.H2),
    /**
     * Any database with a binary type for keys and a clock that knows its time zone. A read and a write per operation,
     * as many statements as keys for the writes of a batch.
     */
    GENERIC(Database.GENERIC);

    private final Database database;

    JdbcDialect(Database database) {
        this.database = database;
    }

    Database database() {
        return database;
    }

    /** The class path resource with this dialect's DDL. */
    public String schemaResource() {
        return database.schemaResource();
    }
}
