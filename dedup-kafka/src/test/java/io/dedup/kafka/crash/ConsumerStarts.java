package io.dedup.kafka.crash;

import io.dedup.testservers.process.ChildJvm;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Starts consumer processes with an archive of loaded classes, made by one that ended in an orderly way: thousands are
 * started, and most of their work would be to load classes.
 */
final class ConsumerStarts {
    private final String classPath;
    private final Path archive;

    private ConsumerStarts(Path directory, String classPath) {
        this.classPath = classPath;
        this.archive = directory.resolve("classes.jsa");
    }

    /** Removes its files when this JVM ends. */
    static ConsumerStarts create() throws IOException {
        Path directory = Files.createTempDirectory("dedup-crash-");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(directory)));
        List<String> jars = new ArrayList<>();
        for (String each : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            Path path = Path.of(each);
            // An archive of classes refuses directories.
            jars.add(Files.isDirectory(path) ? pack(path, directory.resolve(jars.size() + ".jar")) : each);
        }
        return new ConsumerStarts(directory, String.join(File.pathSeparator, jars));
    }

    /** The one that makes the archive as it ends; to be waited for. */
    Process rehearse(List<String> arguments) throws IOException {
        return start(
                List.of(
                        "-XX:ArchiveClassesAtExit=" + archive,
                        "-Xlog:cds=off,cds+dynamic=off",
                        "-D" + CrashConsumer.REHEARSAL + "=true"),
                arguments);
    }

    Process start(List<String> arguments) throws IOException {
        return start(Files.exists(archive) ? List.of("-XX:SharedArchiveFile=" + archive) : List.of(), arguments);
    }

    private Process start(List<String> options, List<String> arguments) throws IOException {
        ProcessBuilder builder = ChildJvm.command(CrashConsumer.class, arguments.toArray(String[]::new));
        List<String> command = builder.command();
        command.set(command.indexOf("-cp") + 1, classPath);
        command.addAll(1, List.of("-Xmx256m", "-XX:-UsePerfData", "-Xshare:auto"));
        command.addAll(1, options);
        return builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    private static void delete(Path directory) {
        try {
            for (Path file : files(directory)) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String pack(Path classes, Path jar) throws IOException {
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream entries = new JarOutputStream(out)) {
            for (Path file : files(classes)) {
                entries.putNextEntry(
                        new JarEntry(classes.relativize(file).toString().replace(File.separatorChar, '/')));
                Files.copy(file, entries);
                entries.closeEntry();
            }
        }
        return jar.toString();
    }

    private static List<Path> files(Path directory) {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(Files::isRegularFile).sorted().collect(Collectors.toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
