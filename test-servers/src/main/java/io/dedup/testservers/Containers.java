package io.dedup.testservers;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.kafka.KafkaContainer;
import org.testcontainers.utility.DockerImageName;

/**
 * Shared servers in containers, where a Docker daemon answers and has or gets the image: empty otherwise, and with {@code
 * -Ddedup.test.containers=false}. Another image is named by, for instance, {@code -Ddedup.test.redis.image}.
 */
final class Containers {

    private static final Logger LOG = LoggerFactory.getLogger(Containers.class);
    private static final Path SOCKET = Path.of("/var/run/docker.sock");
    private static final String PASSWORD = "dedup";

    private Containers() {}

    static Optional<RedisAddress> redis() {
        return start("redis", () -> {
            GenericContainer<?> container = container("redis", "redis:7.4")
                    .withExposedPorts(6379)
                    .waitingFor(Wait.forLogMessage(".*Ready to accept connections.*\\n", 1));
            container.start();
            return new RedisAddress(container.getHost(), container.getMappedPort(6379), null);
        });
    }

    static Optional<KafkaAddress> kafka() {
        return start("kafka", () -> {
            Map<String, String> environment = KafkaSettings.common().entrySet().stream()
                    .collect(Collectors.toMap(Containers::variable, Map.Entry::getValue));
            KafkaContainer container = new KafkaContainer(
                            image("kafka", "apache/kafka:4.2.1").asCompatibleSubstituteFor("apache/kafka"))
                    .withEnv(environment);
            container.start();
            return new KafkaAddress(container.getBootstrapServers());
        });
    }

    static Optional<SqlAddress> postgres() {
        return start("postgres", () -> {
            GenericContainer<?> container = container("postgres", "postgres:18")
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

    static Optional<SqlAddress> mariaDb() {
        return start("mariadb", () -> {
            GenericContainer<?> container = container("mariadb", "mariadb:11.4")
                    .withExposedPorts(3306)
                    .withEnv("MARIADB_ROOT_PASSWORD", PASSWORD)
                    .waitingFor(Wait.forLogMessage(".*ready for connections.*\\n", 2));
            container.start();
            String prefix = "jdbc:mariadb://" + container.getHost() + ":" + container.getMappedPort(3306) + "/";
            return new SqlAddress(prefix, "", "", "root", PASSWORD);
        });
    }

    private static GenericContainer<?> container(String server, String image) {
        return new GenericContainer<>(image(server, image));
    }

    private static DockerImageName image(String server, String image) {
        return DockerImageName.parse(Settings.get(server + ".image").orElse(image));
    }

    /** {@code a.b} is {@code KAFKA_A_B} to Kafka's image. */
    private static String variable(Map.Entry<String, String> setting) {
        return "KAFKA_" + setting.getKey().toUpperCase(Locale.ROOT).replace('.', '_');
    }

    private static <T> Optional<T> start(String server, Supplier<T> starter) {
        if (!available()) {
            return Optional.empty();
        }
        try {
            return Optional.of(starter.get());
        } catch (RuntimeException e) {
            LOG.warn("no container for {}, using the embedded server: {}", server, e.toString());
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
