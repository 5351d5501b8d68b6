package io.dedup.testservers;

import java.util.Optional;

/**
 * Ends this JVM when the process that started it is gone, however that ended. Maven, for one, starts the examples as processes
 * of their own: whoever ends Maven has ended the example, and a Kafka that keeps running in the background surprises them later.
 *
 * <p>The end of the standard input doesn't show that: Maven passes on its own, which ends at once if there is no terminal.
 */
public final class ParentWatch {
    private static final int ENDED_BY_A_SIGNAL = 143;

    private ParentWatch() {}

    /** Watches from now on. Shutdown hooks run, and our servers end with this JVM. */
    public static void start() {
        Optional<ProcessHandle> parent = ProcessHandle.current().parent();
        if (parent.isPresent()) {
            var unused = parent.get().onExit().thenRun(() -> System.exit(ENDED_BY_A_SIGNAL));
        }
    }
}
