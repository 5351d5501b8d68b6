package io.dedup.testservers.sql;

import io.dedup.testservers.install.FileTrees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Set;

/**
 * Copies the data directory of a server while it runs, as {@code pg_basebackup} does, which isn't among the binaries: a
 * replica starts from that.
 */
final class PostgresBackup {

    /** What a replica makes itself or gets from its primary. Of these the directories alone are copied. */
    private static final Set<String> CONTENTS_LEFT_OUT = Set.of(
            "pg_wal",
            "pg_replslot",
            "pg_dynshmem",
            "pg_notify",
            "pg_serial",
            "pg_snapshots",
            "pg_stat_tmp",
            "pg_subtrans");

    private static final Set<String> FILES_LEFT_OUT =
            Set.of("postmaster.pid", "postmaster.opts", "postgresql.auto.conf", "standby.signal");

    private PostgresBackup() {}

    /**
     * Copies it.
     *
     * @param primary a session with the server whose data directory {@code from} is
     * @param connection how the replica connects to that server
     */
    static void copy(AdminSession primary, Path from, Path to, String connection) {
        FileTrees.createDirectory(to);
        primary.execute("SELECT pg_backup_start('replica', true)");
        copyFiles(from, to);
        String label =
                Objects.requireNonNull(primary.query("SELECT labelfile FROM pg_backup_stop(false)", "labelfile"));
        FileTrees.write(to.resolve("backup_label"), label);
        FileTrees.write(to.resolve("standby.signal"), "");
        FileTrees.write(to.resolve("postgresql.auto.conf"), "primary_conninfo = '" + connection + "'\n");
        FileTrees.each(to, path -> {
            Unprivileged.own(path);
            Files.setPosixFilePermissions(
                    path, PosixFilePermissions.fromString(Files.isDirectory(path) ? "rwx------" : "rw-------"));
        });
    }

    private static void copyFiles(Path from, Path to) {
        try {
            Files.walkFileTree(from, new Copy(from, to));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Files may come and go meanwhile: what the log has of them is applied when the replica starts. */
    private static final class Copy extends SimpleFileVisitor<Path> {
        private final Path from;
        private final Path to;

        Copy(Path from, Path to) {
            this.from = from;
            this.to = to;
        }

        @Override
        public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) throws IOException {
            Files.createDirectories(to.resolve(from.relativize(directory)));
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            Path relative = from.relativize(file);
            if (!CONTENTS_LEFT_OUT.contains(relative.getName(0).toString())
                    && !FILES_LEFT_OUT.contains(relative.toString())) {
                try {
                    Files.copy(file, to.resolve(relative));
                } catch (NoSuchFileException dropped) {
                    Files.deleteIfExists(to.resolve(relative));
                }
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
            if (e instanceof NoSuchFileException) {
                return FileVisitResult.CONTINUE;
            }
            throw e;
        }
    }
}
