package io.dedup.examples.shop;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A consumer in a process of its own. It reports one event per line, until its input ends. */
public final class ConsumerProcess implements AutoCloseable {
    private static final long STOP_SECONDS = 120; // it may just have started

    private final String name;
    private final Process process;
    private final Thread reader;

    private ConsumerProcess(String name, Process process, Counts counts) {
        this.name = name;
        this.process = process;
        this.reader = new Thread(() -> read(process, counts), "output-of-" + name);
        reader.setDaemon(true);
        reader.start();
    }

    /**
     * Starts one.
     *
     * @param main its program
     * @param environment settings such as passwords, since all users of the machine can read the arguments
     */
    public static ConsumerProcess start(
            String name, Class<?> main, Map<String, String> environment, Counts counts, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(environment);
        return new ConsumerProcess(name, builder.start(), counts);
    }

    private static void read(Process process, Counts counts) {
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                counts.add(line);
            }
        } catch (IOException e) {
            counts.add("UNREADABLE"); // makes the sums differ, and so the quickstart fail
        }
    }

    /** {@code kill -9}: nothing in the process can clean up. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
        reader.join();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    public String name() {
        return name;
    }

    /** Lets it finish what it is doing. */
    @Override
    public void close() throws IOException, InterruptedException {
        process.getOutputStream().close();
        if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
            kill();
            throw new IllegalStateException(name + " did not stop within " + STOP_SECONDS + " s");
        }
        reader.join();
    }
}
