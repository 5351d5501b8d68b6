package io.dedup.testkit.plan;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The command that starts a process of the application.
 *
 * @param file contains options, class path and arguments, because they may be too long for a command line, and a
 *     command line is visible to all users
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

    /** Quotes a word as JVM argument files require. */
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

    /** Deletes the file: its arguments may contain passwords. */
    void delete() throws IOException {
        Files.deleteIfExists(file);
    }

    /** Omits the arguments, which may contain passwords. */
    @Override
    public String toString() {
        return main;
    }
}
