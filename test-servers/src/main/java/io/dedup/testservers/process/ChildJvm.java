package io.dedup.testservers.process;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Another JVM with the class path of this one, which is the caller's to end. */
public final class ChildJvm {
    private ChildJvm() {}

    /** Starts a main class in a small heap; its errors go to this JVM's, and its output has to be read, or it waits. */
    public static Process start(Class<?> main, String... arguments) throws IOException {
        return command(List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-Xshare:auto"), main, arguments)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** A main class as its user would run it, not started yet. */
    public static ProcessBuilder command(Class<?> main, String... arguments) {
        return command(List.of(), main, arguments);
    }

    private static ProcessBuilder command(List<String> options, Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command);
    }
}
