package io.dedup.testservers.redis;

import io.dedup.testservers.containers.Containers;
import java.util.Optional;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;

/** Redis in a container that ends with this JVM. */
final class RedisContainer {

    private RedisContainer() {}

    /** Empty where there is no Docker. */
    static Optional<RedisAddress> start() {
        return Containers.start("redis", () -> {
            GenericContainer<?> container = new GenericContainer<>(Containers.image("redis", "redis:7.4"))
                    .withExposedPorts(6379)
                    .waitingFor(Wait.forLogMessage(".*Ready to accept connections.*\\n", 1));
            container.start();
            return new RedisAddress(container.getHost(), container.getMappedPort(6379), null);
        });
    }
}
