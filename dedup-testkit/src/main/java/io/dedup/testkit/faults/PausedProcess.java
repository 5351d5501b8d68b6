package io.dedup.testkit.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import org.opentest4j.TestAbortedException;

/**
 * A process that stands still (SIGSTOP): its connections stay open and nothing answers, as in a long garbage collection
 * or on a machine that was suspended. {@link #close()} lets it go on. Thread-safe.
 *
 * <p>Pauses that one process, not its children. Whoever pauses a process has to see to it that it goes on or ends:
 * close this in a {@code finally} or {@code try}.
 */
public final class PausedProcess implements AutoCloseable {
    private final long pid;

    private PausedProcess(long pid) {
        this.pid = pid;
    }

    /** Whether this system has signals that pause. */
    public static boolean isSupported() {
        return !System.getProperty("os.name", "").startsWith("Windows");
    }

    /**
     * Pauses a process.
     *
     * @throws TestAbortedException where the system can't: a test is reported as skipped
     * @throws IllegalArgumentException for this very process, which could never let itself go on
     * @throws IllegalStateException when there is no such process, or it isn't ours to pause
     */
    public static PausedProcess pause(long pid) {
        if (!isSupported()) {
            throw new TestAbortedException("processes can't be paused on " + System.getProperty("os.name"));
        }
        if (pid == ProcessHandle.current().pid()) {
            throw new IllegalArgumentException("process " + pid + " is this one, which could never go on");
        }
        signal("STOP", pid);
        return new PausedProcess(pid);
    }

    /** The process. */
    public long pid() {
        return pid;
    }

    /** Lets it go on, if it is still there. */
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
                throw new IllegalStateException(
                        Arrays.toString(command) + " failed (" + exit + "): no such process, or not ours to pause");
            }
        } catch (IOException e) {
            throw new UncheckedIOException("can't run " + Arrays.toString(command), e);
        }
    }
}
