package io.dedup.testservers.redis;

import io.dedup.testservers.install.BinaryCache;
import io.dedup.testservers.install.Platform;
import io.dedup.testservers.install.ServerJars;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * A {@code redis-server} program.
 *
 * @param version such as {@code 6.2.6}
 */
public record RedisBinary(Path path, String version) {

    private static final Pattern VERSION = Pattern.compile("v=(\\d+\\.\\d+\\.\\d+)");
    private static final int NEW = 7;

    /**
     * Redis 6.2 from Maven Central: Linux and macOS.
     *
     * @throws IllegalStateException on other systems
     */
    public static RedisBinary embedded() {
        return Embedded.BINARY;
    }

    /** Redis 7 or newer from the {@code PATH}. Empty where there is none: then report the test as skipped. */
    public static Optional<RedisBinary> installed() {
        return installed("redis-server");
    }

    /** Valkey from the {@code PATH}. Empty where there is none: then report the test as skipped. */
    public static Optional<RedisBinary> installedValkey() {
        return installed("valkey-server");
    }

    private static Optional<RedisBinary> installed(String program) {
        String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Arrays.stream(path.split(File.pathSeparator))
                .map(directory -> Path.of(directory, program))
                .filter(Files::isExecutable)
                .map(RedisBinary::of)
                .filter(found -> found.major() >= NEW)
                .findFirst();
    }

    /** First number of the version. */
    public int major() {
        return Integer.parseInt(version.substring(0, version.indexOf('.')));
    }

    private static RedisBinary of(Path path) {
        try {
            Process process = new ProcessBuilder(List.of(path.toString(), "--version"))
                    .redirectErrorStream(true)
                    .start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            Matcher matcher = VERSION.matcher(output);
            if (!matcher.find()) {
                throw new IllegalStateException(path + " --version says " + output);
            }
            return new RedisBinary(path, matcher.group(1));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run " + path, e);
        }
    }

    private static final class Embedded {
        static final RedisBinary BINARY = unpack();

        private static RedisBinary unpack() {
            Path jar = ServerJars.redis();
            return of(BinaryCache.get(jar, directory -> unpack(jar, directory)).resolve("redis-server"));
        }

        private static void unpack(Path jar, Path directory) throws IOException {
            String system = Platform.current();
            try (ZipFile zip = new ZipFile(jar.toFile())) {
                ZipEntry entry = zip.stream()
                        .filter(file -> file.getName().startsWith("redis-server-")
                                && file.getName().toLowerCase(Locale.ROOT).endsWith(system))
                        .findFirst()
                        .orElseThrow(() -> new IllegalStateException("no Redis for " + system + " in " + jar
                                + "; name one with -Ddedup.test.redis=redis://host:port"));
                Path binary = directory.resolve("redis-server");
                Files.copy(zip.getInputStream(entry), binary);
                Files.setPosixFilePermissions(binary, PosixFilePermissions.fromString("rwxr-xr-x"));
            }
        }
    }
}
