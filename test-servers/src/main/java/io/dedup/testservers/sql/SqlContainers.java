package io.dedup.testservers.sql;

import io.dedup.testservers.containers.Containers;
import java.util.Optional;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;

/** Databases in containers that end with this JVM; empty where there is no Docker. */
final class SqlContainers {
    private static final String PASSWORD = "dedup";

    private SqlContainers() {}

    static Optional<SqlAddress> startPostgres() {
        return Containers.start("postgres", () -> {
            GenericContainer<?> container = new GenericContainer<>(Containers.image("postgres", "postgres:18"))
                    .withExposedPorts(5432)
                    .withEnv("POSTGRES_PASSWORD", PASSWORD)
                    .withCommand("postgres", "-c", "fsync=off", "-c", "max_connections=200")
                    // The image starts it once more after it made the database.
                    .waitingFor(Wait.forLogMessage(".*ready to accept connections.*\\n", 2));
            container.start();
            String prefix = "jdbc:postgresql://" + container.getHost() + ":" + container.getMappedPort(5432) + "/";
            return new SqlAddress(prefix, "postgres", "", "postgres", PASSWORD);
        });
    }

    static Optional<SqlAddress> startMariaDb() {
        return Containers.start("mariadb", () -> {
            GenericContainer<?> container = new GenericContainer<>(Containers.image("mariadb", "mariadb:11.4"))
                    .withExposedPorts(3306)
                    .withEnv("MARIADB_ROOT_PASSWORD", PASSWORD)
                    .waitingFor(Wait.forLogMessage(".*ready for connections.*\\n", 2));
            container.start();
            String prefix = "jdbc:mariadb://" + container.getHost() + ":" + container.getMappedPort(3306) + "/";
            return new SqlAddress(prefix, "", "", "root", PASSWORD);
        });
    }
}
