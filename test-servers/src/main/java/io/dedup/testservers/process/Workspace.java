package io.dedup.testservers.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.atomic.AtomicInteger;

/** Shared by the servers of this JVM: a directory for their files, and the reaper that removes it. Thread-safe. */
final class Workspace {

    private final Path root;
    private final Reaper reaper;
    private final AtomicInteger serial = new AtomicInteger();

    private Workspace(Path root, Reaper reaper) {
        this.root = root;
        this.reaper = reaper;
    }

    static Workspace get() {
        return Holder.INSTANCE;
    }

    Reaper reaper() {
        return reaper;
    }

    /** A new directory, removed when this JVM ends. */
    Path newDirectory(String name) {
        try {
            return Files.createDirectory(root.resolve(name + "-" + serial.incrementAndGet()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class Holder {
        static final Workspace INSTANCE = create();

        private static Workspace create() {
            try {
                Path root = Files.createTempDirectory("dedup-servers-");
                // A server that refuses to run as root runs as another user, who needs access to its files in here.
                Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwx--x--x"));
                return new Workspace(root, Reaper.start(root));
            } catch (IOException e) {
                throw new UncheckedIOException("cannot create a directory for the test servers", e);
            }
        }
    }
}
