package io.dedup.mutants.run;

import io.dedup.mutants.killer.KillerMain;
import io.dedup.mutants.killer.TestEnd;
import io.dedup.mutants.patch.TestName;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.platform.launcher.Launcher;

/** Runs tests of one module, each call in a JVM of its own. */
final class KillerJvm {
    /** How a test ended and what it said. */
    record Outcome(TestEnd end, String message) {}

    private static final Duration TO_END = Duration.ofSeconds(30);

    private final Checkout checkout;
    private final Path directory;

    KillerJvm(Checkout checkout, Path directory) {
        this.checkout = checkout;
        this.directory = directory;
    }

    /**
     * How these tests ended; a test that didn't end in time, or that ended the JVM, isn't among them.
     *
     * @param mutant classes that take the places of others; null for none
     * @param log where the output goes
     */
    Map<TestName, Outcome> run(String module, List<TestName> tests, @Nullable Path mutant, Duration timeout, String log)
            throws IOException, InterruptedException {
        Path outcomes = directory.resolve("outcomes.txt");
        Files.deleteIfExists(outcomes);
        Process jvm = new ProcessBuilder(command(module, tests, mutant, outcomes))
                .directory(checkout.module(module).toFile())
                .redirectErrorStream(true)
                .redirectOutput(Files.createDirectories(directory.resolve("logs"))
                        .resolve(log + ".log")
                        .toFile())
                .start();
        try {
            boolean unused = jvm.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } finally {
            end(jvm);
        }
        return Files.exists(outcomes) ? read(outcomes, tests) : Map.of();
    }

    private List<String> command(String module, List<TestName> tests, @Nullable Path mutant, Path outcomes)
            throws IOException {
        List<Path> classPath = new ArrayList<>();
        if (mutant != null) {
            classPath.add(mutant);
        }
        classPath.addAll(checkout.testClassPath(module));
        classPath.add(jarOf(KillerMain.class));
        classPath.add(jarOf(Launcher.class));
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                // As in the build: tests block in this pool, which is small on small machines.
                "-Djava.util.concurrent.ForkJoinPool.common.parallelism=64",
                "-cp",
                classPath.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)),
                KillerMain.class.getName(),
                outcomes.toString()));
        tests.forEach(test -> command.add(test.selector()));
        return command;
    }

    private static Path jarOf(Class<?> type) {
        try {
            return Path.of(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Its servers end with it. */
    private static void end(Process jvm) throws InterruptedException {
        jvm.destroy();
        if (!jvm.waitFor(TO_END.toMillis(), TimeUnit.MILLISECONDS)) {
            jvm.destroyForcibly().waitFor();
        }
    }

    private static Map<TestName, Outcome> read(Path outcomes, List<TestName> tests) throws IOException {
        Map<TestName, Outcome> read = new HashMap<>();
        for (String line : Files.readAllLines(outcomes)) {
            String[] fields = line.split("\t", -1);
            for (TestName test : tests) {
                if (test.selector().equals(fields[0])) {
                    read.put(test, new Outcome(TestEnd.valueOf(fields[1]), fields[2]));
                }
            }
        }
        return read;
    }
}
