package io.dedup.testkit.plan;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How a process of the application is started.
 *
 * @param file has options, class path and arguments: a command line may be too short for them, and is for everybody to see
 */
record AppCommand(String main, Path file) {
    static AppCommand write(String main, List<String> jvmOptions, List<String> arguments, Path directory) {
        List<String> words = new ArrayList<>(jvmOptions);
        words.addAll(List.of("-cp", System.getProperty("java.class.path"), AppLauncher.class.getName(), main));
        words.addAll(arguments);
        try {
            return new AppCommand(
                    main,
                    Files.write(
                            directory.resolve("process.args"),
                            words.stream().map(AppCommand::quoted).toList(),
                            StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** As a JVM reads its argument files. */
    static String quoted(String word) {
        return '"'
                + word.replace("\\", "\\\\")
                        .replace("\"", "\\\"")
                        .replace("\n", "\\n")
                        .replace("\r", "\\r")
                + '"';
    }

    Process start(Path log) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(), "@" + file)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
    }

    /** The arguments may hold passwords. */
    void delete() throws IOException {
        Files.deleteIfExists(file);
    }

    /** Without the arguments, which may hold passwords. */
    @Override
    public String toString() {
        return main;
    }
}
