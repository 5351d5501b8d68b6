package io.dedup.testservers.containers;

import io.dedup.testservers.Settings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.utility.DockerImageName;

/**
 * Servers in containers, where a Docker daemon answers and has or gets the image: empty otherwise, and with {@code
 * -Ddedup.test.containers=false}. Another image is named by, for instance, {@code -Ddedup.test.redis.image}.
 */
public final class Containers {

    private static final Logger log = LoggerFactory.getLogger(Containers.class);
    private static final Path SOCKET = Path.of("/var/run/docker.sock");

    private Containers() {}

    /** The image of this name, unless the user has set another for this server. */
    public static DockerImageName image(String server, String image) {
        return DockerImageName.parse(Settings.get(server + ".image").orElse(image));
    }

    /** What the starter returns; empty without Docker, and when the starter fails. */
    public static <T> Optional<T> start(String server, Supplier<T> starter) {
        if (!available()) {
            return Optional.empty();
        }
        try {
            return Optional.of(starter.get());
        } catch (RuntimeException e) {
            log.warn("no container for {}, using the embedded server: {}", server, e.toString());
            return Optional.empty();
        }
    }

    private static boolean available() {
        boolean wanted = Settings.get("containers").map(Boolean::parseBoolean).orElse(true);
        // Looking at these takes no time; asking Testcontainers where there is no Docker takes seconds.
        boolean docker = System.getenv("DOCKER_HOST") != null || Files.exists(SOCKET);
        return wanted && docker && DockerClientFactory.instance().isDockerAvailable();
    }
}
