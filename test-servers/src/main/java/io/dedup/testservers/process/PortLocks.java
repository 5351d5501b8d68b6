package io.dedup.testservers.process;

import io.dedup.testservers.install.BinaryCache;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Keeps two processes of this machine, such as the tests of two modules, from using one port: between the check that it
 * is free and the start of its server, and while the server restarts. A port is a byte of a common file, locked as long
 * as it is among the last that this process took, or until the process ends.
 */
final class PortLocks {
    /** More than are in use by one process at a time, and few enough for several processes. */
    private static final int MOST = 100;

    private static final Map<Integer, FileLock> HELD = new LinkedHashMap<>();
    private static final FileChannel FILE = open();

    private PortLocks() {}

    private static FileChannel open() {
        try {
            Path file = BinaryCache.directory().resolve("ports");
            return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new UncheckedIOException("no file to lock ports in", e);
        }
    }

    /** Whether the place is this process's, now or from before. */
    static synchronized boolean take(int place) {
        if (HELD.containsKey(place)) {
            return true;
        }
        try {
            FileLock lock = FILE.tryLock(place, 1, false);
            if (lock == null) {
                return false;
            }
            HELD.put(place, lock);
            if (HELD.size() > MOST) {
                Iterator<FileLock> oldest = HELD.values().iterator();
                oldest.next().release();
                oldest.remove();
            }
            return true;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot lock a port", e);
        }
    }
}
