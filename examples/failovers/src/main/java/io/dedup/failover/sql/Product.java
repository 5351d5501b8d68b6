package io.dedup.failover.sql;

import io.dedup.testservers.sql.MariaDbServers;
import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlPair;
import java.time.Duration;

/** The databases. */
enum Product {
    POSTGRESQL("postgres", "PostgreSQL") {
        @Override
        SqlPair start(boolean synchronous) {
            return PostgresServers.startPair(synchronous);
        }

        @Override
        String socketTimeout(Duration timeout) {
            return Long.toString(timeout.toSeconds());
        }
    },
    MARIADB("mariadb", "MariaDB") {
        @Override
        SqlPair start(boolean synchronous) {
            return MariaDbServers.startPair(synchronous);
        }

        @Override
        String socketTimeout(Duration timeout) {
            return Long.toString(timeout.toMillis());
        }
    };

    private final String id;
    private final String title;

    Product(String id, String title) {
        this.id = id;
        this.title = title;
    }

    abstract SqlPair start(boolean synchronous);

    /** As the driver's property of that name wants it. */
    abstract String socketTimeout(Duration timeout);

    String id() {
        return id;
    }

    String title() {
        return title;
    }
}
