package io.dedup.testservers.process;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Another JVM with the class path of this one, which is the caller's to end. */
public final class ChildJvm {
    /** It ends before the second compiler would pay, or more than one thread that collects garbage. */
    private static final List<String> SHORT_LIVED = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

    private ChildJvm() {}

    /** Starts a main class in a small heap; its errors go to this JVM's, and its output has to be read, or it waits. */
    public static Process start(Class<?> main, String... arguments) throws IOException {
        ProcessBuilder builder = command(main, arguments);
        builder.command().add(1, "-Xmx256m");
        return builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    /** A main class for a short time, not started yet. */
    public static ProcessBuilder command(Class<?> main, String... arguments) {
        return command(SHORT_LIVED, main, arguments);
    }

    /** The same, with no options but these. */
    public static ProcessBuilder command(List<String> options, Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command);
    }
}
