package io.dedup.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Unpacked server binaries, kept between builds as unpacking takes seconds: in the directory that
 * {@code -Ddedup.test.cache} names, else in one of this user below the temporary directory. Safe to use from several
 * JVMs at once.
 */
final class BinaryCache {

    /** Fills an empty directory. */
    @FunctionalInterface
    interface Filler {
        void fill(Path directory) throws IOException;
    }

    private BinaryCache() {}

    /** The directory made from this jar, unpacked now unless somebody has done so before. */
    static Path get(Path jar, Filler filler) {
        try {
            Path cache = directory();
            Path entry = cache.resolve(jar.getFileName() + "-" + Files.size(jar));
            if (Files.isDirectory(entry)) {
                return entry;
            }
            Path unfinished = Files.createTempDirectory(cache, "unfinished-");
            Files.setPosixFilePermissions(unfinished, PosixFilePermissions.fromString("rwxr-xr-x"));
            filler.fill(unfinished);
            try {
                Files.move(unfinished, entry, StandardCopyOption.ATOMIC_MOVE);
            } catch (FileAlreadyExistsException | DirectoryNotEmptyException another) {
                FileTrees.delete(unfinished);
            }
            return entry;
        } catch (IOException e) {
            throw new UncheckedIOException("can't unpack " + jar.getFileName(), e);
        }
    }

    private static Path directory() throws IOException {
        String user = System.getProperty("user.name");
        Path cache = Settings.get("cache")
                .map(Path::of)
                .orElseGet(() -> Path.of(System.getProperty("java.io.tmpdir"), "dedup-test-servers-" + user));
        Files.createDirectories(cache);
        // Others could have made it first, with programs of theirs in it.
        if (!Files.getOwner(cache).getName().equals(user)) {
            throw new IllegalStateException(
                    cache + " belongs to somebody else; name another directory with -Ddedup.test.cache");
        }
        Files.setPosixFilePermissions(cache, PosixFilePermissions.fromString("rwxr-xr-x"));
        return cache;
    }
}
