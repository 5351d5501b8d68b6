package io.dedup.testservers.sql;

import io.dedup.testservers.Settings;

/** Entry to everything about MariaDB. Thread-safe. */
public final class MariaDbServers {

    private MariaDbServers() {}

    /**
     * The server that the tests of this JVM share; take a {@link SqlAddress#newDatabase() database of your own}. By
     * {@code -Ddedup.test.mariadb=jdbc:mariadb://host:port/?user=…&password=…} or {@code DEDUP_TEST_MARIADB}, else in a
     * container, else embedded.
     */
    public static SqlAddress shared() {
        return Shared.ADDRESS;
    }

    /** An empty database on the {@link #shared()} server. */
    public static SqlDatabase newDatabase() {
        return shared().newDatabase();
    }

    /** A new embedded server, with defaults. */
    public static MariaDbServer start() {
        return builder().start();
    }

    /** A builder of a new embedded server. */
    public static MariaDbServer.Builder builder() {
        return MariaDbServer.builder();
    }

    /**
     * An embedded primary and its replica.
     *
     * @param synchronous whether a commit waits until the replica has it
     */
    public static SqlPair startPair(boolean synchronous) {
        return MariaDbPair.start(synchronous);
    }

    private static final class Shared {
        static final SqlAddress ADDRESS = Settings.get("mariadb")
                .map(url -> SqlAddress.parse("mariadb", url))
                .or(SqlContainers::startMariaDb)
                .orElseGet(() -> start().address());
    }
}
