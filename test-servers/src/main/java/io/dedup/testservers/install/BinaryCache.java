package io.dedup.testservers.install;

import io.dedup.testservers.Settings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Unpacked server binaries, kept between builds as unpacking takes seconds: in the directory that
 * {@code -Ddedup.test.cache} names, else in one of this user below the temporary directory. Safe to use from several
 * threads and JVMs at once.
 */
public final class BinaryCache {

    /** Fills an empty directory. */
    @FunctionalInterface
    public interface Filler {
        void fill(Path directory) throws IOException;
    }

    private static final Lock ONE_THREAD = new ReentrantLock();
    private static final String UNFINISHED = "unfinished-";
    /** Written last, with the number of paths: systems remove single old files from temporary directories. */
    private static final String COMPLETE = "complete";

    private BinaryCache() {}

    /** The directory made from this jar, which is unpacked now unless it was unpacked before. */
    public static Path get(Path jar, Filler filler) {
        ONE_THREAD.lock();
        try {
            Path cache = directory();
            try (FileChannel file = FileChannel.open(
                            cache.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock oneProcess = file.lock()) {
                Path entry = cache.resolve(jar.getFileName() + "-" + Files.size(jar));
                if (!isComplete(entry)) {
                    fill(cache, entry, filler);
                }
                return entry;
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot unpack " + jar.getFileName(), e);
        } finally {
            ONE_THREAD.unlock();
        }
    }

    private static boolean isComplete(Path entry) throws IOException {
        Path complete = entry.resolve(COMPLETE);
        return Files.exists(complete) && Files.readString(complete).equals(Long.toString(FileTrees.count(entry)));
    }

    private static void fill(Path cache, Path entry, Filler filler) throws IOException {
        try (DirectoryStream<Path> leftovers = Files.newDirectoryStream(cache, UNFINISHED + "*")) {
            leftovers.forEach(FileTrees::delete);
        }
        if (Files.exists(entry)) {
            FileTrees.delete(entry);
        }
        Path unfinished = Files.createTempDirectory(cache, UNFINISHED);
        Files.setPosixFilePermissions(unfinished, PosixFilePermissions.fromString("rwxr-xr-x"));
        filler.fill(unfinished);
        FileTrees.write(unfinished.resolve(COMPLETE), Long.toString(FileTrees.count(unfinished) + 1));
        Files.move(unfinished, entry, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Where this user keeps what is common to all processes. */
    public static Path directory() throws IOException {
        Optional<Path> chosen = Settings.get("cache").map(Path::of);
        if (chosen.isPresent()) {
            return Files.createDirectories(chosen.get()).toRealPath();
        }
        String user = System.getProperty("user.name");
        Path cache = Path.of(System.getProperty("java.io.tmpdir"), "dedup-test-servers-" + user);
        Files.createDirectories(cache);
        // Another user could have created it first, with other programs in it.
        if (!Files.getOwner(cache).getName().equals(user)) {
            throw new IllegalStateException(
                    cache + " belongs to another user; name another directory with -Ddedup.test.cache");
        }
        Files.setPosixFilePermissions(cache, PosixFilePermissions.fromString("rwxr-xr-x"));
        return cache;
    }
}
