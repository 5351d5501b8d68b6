package io.dedup.mutants.run;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Starts JVMs with the classes of a module, and with those of a mutant before them, and ends them in time. */
final class ChildJvm {
    private static final Duration TO_END = Duration.ofSeconds(30);

    private final Checkout checkout;
    private final Path directory;

    ChildJvm(Checkout checkout, Path directory) {
        this.checkout = checkout;
        this.directory = directory;
    }

    /**
     * The command, without its main class.
     *
     * @param mutant classes that take the places of others; null for none
     * @param more what else the class path has
     */
    List<String> command(String module, @Nullable Path mutant, Path... more) throws IOException {
        List<Path> classPath = new ArrayList<>();
        if (mutant != null) {
            classPath.add(mutant);
        }
        classPath.addAll(checkout.testClassPath(module));
        classPath.addAll(List.of(more));
        return new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                classPath.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator))));
    }

    /** Runs a command in a module's directory, and returns the file with its output. What hasn't ended in time is ended. */
    Path run(List<String> command, String module, Duration timeout, String log)
            throws IOException, InterruptedException {
        Path output = Files.createDirectories(directory.resolve("logs")).resolve(log + ".log");
        Process jvm = new ProcessBuilder(command)
                .directory(checkout.module(module).toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            boolean unused = jvm.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } finally {
            end(jvm);
        }
        return output;
    }

    /** Its servers end with it. */
    private static void end(Process jvm) throws InterruptedException {
        jvm.destroy();
        if (!jvm.waitFor(TO_END.toMillis(), TimeUnit.MILLISECONDS)) {
            jvm.destroyForcibly().waitFor();
        }
    }
}
