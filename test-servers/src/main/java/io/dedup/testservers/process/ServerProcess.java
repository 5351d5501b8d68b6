package io.dedup.testservers.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One run of a server, in a process that ends with this JVM. Its output goes to a file. Thread-safe. */
public final class ServerProcess {

    private static final Logger log = LoggerFactory.getLogger(ServerProcess.class);
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final long PROBE_MILLIS = 20;
    private static final int TAIL_LINES = 60;

    private final String name;
    private final Process process;
    private final CompletableFuture<Void> forgotten;
    private final Path output;
    private final long logStart;

    private ServerProcess(String name, Process process, CompletableFuture<Void> forgotten, Path output, long logStart) {
        this.name = name;
        this.process = process;
        this.forgotten = forgotten;
        this.output = output;
        this.logStart = logStart;
    }

    /** Starts the command in {@code directory}; output is appended to {@code output}. */
    public static ServerProcess start(
            String name, List<String> command, Path directory, Path output, OrphanSignal end) {
        return start(name, command, Path.of("/dev/null"), directory, output, end);
    }

    private static ServerProcess start(
            String name, List<String> command, Path input, Path directory, Path output, OrphanSignal end) {
        try {
            long logStart = Files.exists(output) ? Files.size(output) : 0;
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
                    .redirectInput(input.toFile());
            builder.environment().put("LC_ALL", "C");
            Process process = builder.start();
            Reaper reaper = Workspace.get().reaper();
            reaper.add(process.pid(), end);
            CompletableFuture<Void> forgotten = process.onExit().thenAccept(ended -> reaper.drop(ended.pid()));
            return new ServerProcess(name, process, forgotten, output, logStart);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + name + ": " + command, e);
        }
    }

    /** Runs a command to its end, which has to be a success. */
    public static void run(String name, List<String> command, Path directory, Path output) {
        run(name, command, Path.of("/dev/null"), directory, output);
    }

    /** The same, with a file to be read. */
    public static void run(String name, List<String> command, Path input, Path directory, Path output) {
        ServerProcess run = start(name, command, input, directory, output, OrphanSignal.KILL);
        if (!run.waitFor(LIMIT)) {
            run.kill();
            throw run.failure("took over " + LIMIT.toSeconds() + " s");
        }
        if (run.process.exitValue() != 0) {
            throw run.failure("failed with exit code " + run.process.exitValue());
        }
    }

    /** Waits until the server answers; if it ends or takes over five minutes, kills it and throws with the reason. */
    public void awaitReady(BooleanSupplier ready) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!ready.getAsBoolean()) {
            if (waitFor(Duration.ofMillis(PROBE_MILLIS))) {
                throw failure("ended at start with exit code " + process.exitValue());
            }
            if (System.nanoTime() - deadline > 0) {
                kill();
                throw failure("did not answer within " + LIMIT.toSeconds() + " s");
            }
        }
    }

    /** Whether this run has logged the text. */
    public boolean hasLogged(String text) {
        return output().contains(text);
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    public long pid() {
        return process.pid();
    }

    /** SIGTERM, or {@code signal}; then SIGKILL if that takes more than five minutes. */
    public void end(String signal) {
        if (isAlive()) {
            signal(process.pid(), signal);
            if (!waitFor(LIMIT)) {
                log.warn("{} doesn't end, killing it", name);
                kill();
            }
        }
    }

    /** SIGKILL to the process and its children, and waits until they are gone. */
    public void kill() {
        List<ProcessHandle> children = children();
        process.destroyForcibly();
        children.forEach(ProcessHandle::destroyForcibly);
        children.forEach(child -> child.onExit().join());
        forgotten.join();
    }

    /** SIGSTOP to the process and its children: connections stay, answers don't come. */
    public void pause() {
        signal(process.pid(), "STOP");
        // After its parent stopped, none is added.
        for (ProcessHandle child : children()) {
            signal(child.pid(), "STOP");
            // A stopped child doesn't notice its parent's end.
            Workspace.get().reaper().add(child.pid(), OrphanSignal.KILL);
        }
    }

    public void resume() {
        for (ProcessHandle child : children()) {
            Workspace.get().reaper().drop(child.pid());
            signal(child.pid(), "CONT");
        }
        signal(process.pid(), "CONT");
    }

    private List<ProcessHandle> children() {
        return process.descendants().toList();
    }

    private static void signal(long pid, String signal) {
        try {
            Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(pid))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            kill.onExit().join();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot send SIG" + signal, e);
        }
    }

    private boolean waitFor(Duration limit) {
        try {
            return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            kill();
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for " + name, e);
        }
    }

    private IllegalStateException failure(String what) {
        List<String> lines = output().lines().toList();
        String tail = String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
        return new IllegalStateException(name + " " + what + "; end of its log:\n" + tail);
    }

    private String output() {
        try {
            byte[] all = Files.readAllBytes(output);
            int start = (int) Math.min(logStart, all.length);
            return new String(all, start, all.length - start, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
