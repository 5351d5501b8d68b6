package io.dedup.testservers.sql;

import io.dedup.testservers.Settings;

/** Entry to everything about PostgreSQL. Thread-safe. */
public final class PostgresServers {

    private PostgresServers() {}

    /**
     * The server that the tests of this JVM share; take a {@link SqlAddress#newDatabase() database of your own}. By
     * {@code -Ddedup.test.postgres=jdbc:postgresql://host:port/database?user=…&password=…} or {@code
     * DEDUP_TEST_POSTGRES}, else in a container, else embedded.
     */
    public static SqlAddress shared() {
        return Shared.ADDRESS;
    }

    /** An empty database on the {@link #shared()} server. */
    public static SqlDatabase newDatabase() {
        return shared().newDatabase();
    }

    /** A new embedded server, with defaults. */
    public static PostgresServer start() {
        return builder().start();
    }

    /** A builder of a new embedded server. */
    public static PostgresServer.Builder builder() {
        return PostgresServer.builder();
    }

    /**
     * An embedded primary and its replica.
     *
     * @param synchronous whether a commit waits until the replica has it
     */
    public static SqlPair startPair(boolean synchronous) {
        return PostgresPair.start(synchronous);
    }

    private static final class Shared {
        static final SqlAddress ADDRESS = Settings.get("postgres")
                .map(url -> SqlAddress.parse("postgres", url))
                .or(SqlContainers::startPostgres)
                .orElseGet(() -> start().address());
    }
}
