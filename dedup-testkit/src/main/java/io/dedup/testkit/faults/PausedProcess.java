package io.dedup.testkit.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import org.opentest4j.TestAbortedException;

/**
 * A paused process (SIGSTOP): its connections stay open and nothing answers, as during a long garbage collection or on
 * a suspended machine. {@link #close()} resumes it. Thread-safe.
 *
 * <p>Pauses the process only, not its children. Make sure that the process is resumed or ended: close this object in a
 * {@code finally} block or a {@code try}-with-resources.
 */
public final class PausedProcess implements AutoCloseable {
    private final long pid;

    private PausedProcess(long pid) {
        this.pid = pid;
    }

    /** Whether the operating system can pause processes with signals. */
    public static boolean isSupported() {
        return !System.getProperty("os.name", "").startsWith("Windows");
    }

    /**
     * Pauses a process.
     *
     * @throws TestAbortedException when the operating system cannot pause processes; the test is reported as skipped
     * @throws IllegalArgumentException when it is the current process, which could never resume itself
     * @throws IllegalStateException when the process doesn't exist, or this user may not signal it
     */
    public static PausedProcess pause(long pid) {
        if (!isSupported()) {
            throw new TestAbortedException("Cannot pause processes on " + System.getProperty("os.name"));
        }
        if (pid == ProcessHandle.current().pid()) {
            throw new IllegalArgumentException(
                    "Process " + pid + " is the current process, which couldn't resume itself");
        }
        signal("STOP", pid);
        return new PausedProcess(pid);
    }

    /** Returns the process ID. */
    public long pid() {
        return pid;
    }

    /** Resumes the process, if it still exists. */
    @Override
    public void close() {
        if (ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent()) {
            signal("CONT", pid);
        }
    }

    private static void signal(String name, long pid) {
        String[] command = {"kill", "-" + name, Long.toString(pid)};
        try {
            Process kill = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            int exit = kill.onExit().join().exitValue();
            if (exit != 0) {
                throw new IllegalStateException(Arrays.toString(command) + " failed (exit value " + exit
                        + "): the process doesn't exist, or this user may not signal it");
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot run " + Arrays.toString(command), e);
        }
    }
}
