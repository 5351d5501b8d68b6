package io.dedup.mutants.killer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** The test's JVM: has the class path of a module's tests, and perhaps a mutant before it. */
public final class KillerMain {
    private static final int ENDED_BY_A_SIGNAL = 143;

    private KillerMain() {}

    /**
     * Calls tests and writes a line about each to a file: its name, how it ended and what it said.
     *
     * @param args the file, and the tests
     */
    public static void main(String[] args) {
        ProcessHandle.current().parent().ifPresent(parent -> {
            var unused = parent.onExit().thenRun(() -> System.exit(ENDED_BY_A_SIGNAL));
        });
        Path file = Path.of(args[0]);
        List<String> tests = List.of(args).subList(1, args.length);
        for (String test : tests) {
            TestCall ended = TestCall.of(test, failed -> {
                if (tests.size() == 1) {
                    write(file, test, failed);
                    System.exit(0);
                }
            });
            write(file, test, ended);
        }
        System.exit(0); // servers' threads would keep the JVM alive
    }

    private static void write(Path file, String test, TestCall call) {
        try {
            Files.writeString(
                    file,
                    test + "\t" + call.end() + "\t" + call.message() + "\n",
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
