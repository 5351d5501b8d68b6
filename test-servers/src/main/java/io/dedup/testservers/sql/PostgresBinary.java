package io.dedup.testservers.sql;

import io.dedup.testservers.install.BinaryCache;
import io.dedup.testservers.install.FileTrees;
import io.dedup.testservers.install.Platform;
import io.dedup.testservers.install.ServerJars;
import io.dedup.testservers.process.ServerProcess;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/** The unpacked PostgreSQL from Maven Central. */
final class PostgresBinary {

    static final String SUPERUSER = "postgres";

    private static final int OWNER_EXECUTES = 0100;

    private PostgresBinary() {}

    /** The path of a program of PostgreSQL. */
    static Path program(String name) {
        return Holder.DIRECTORY.resolve("bin").resolve(name);
    }

    /** A new data directory: copied, as initdb takes ten times as long. */
    static void copyNewData(Path target) {
        FileTrees.createDirectory(target);
        FileTrees.copy(Holder.DIRECTORY.resolve("new-data"), target);
        FileTrees.each(target, Unprivileged::own);
        FileTrees.each(
                target,
                path -> Files.setPosixFilePermissions(
                        path, PosixFilePermissions.fromString(Files.isDirectory(path) ? "rwx------" : "rw-------")));
    }

    private static final class Holder {
        static final Path DIRECTORY = unpack();

        private static Path unpack() {
            Platform.requireLinuxAmd64("PostgreSQL", "postgres=jdbc:postgresql://…");
            Path jar = ServerJars.postgres();
            return BinaryCache.get(jar, directory -> unpack(jar, directory));
        }

        private static void unpack(Path jar, Path directory) throws IOException {
            try (ZipFile zip = new ZipFile(jar.toFile())) {
                ZipEntry archive = zip.stream()
                        .filter(entry -> entry.getName().endsWith(".txz"))
                        .findFirst()
                        .orElseThrow(() -> new IOException("no archive in " + jar));
                try (InputStream in = new BufferedInputStream(zip.getInputStream(archive));
                        TarArchiveInputStream tar = new TarArchiveInputStream(new XZInputStream(in))) {
                    TarArchiveEntry entry;
                    while ((entry = tar.getNextEntry()) != null) {
                        write(entry, tar, directory);
                    }
                }
            }
            initialize(directory);
        }

        private static void initialize(Path directory) throws IOException {
            Path data = Files.createDirectory(directory.resolve("new-data"));
            Unprivileged.own(data);
            ServerProcess.run(
                    "initdb",
                    Unprivileged.command(List.of(
                            directory.resolve("bin").resolve("initdb").toString(),
                            "--pgdata=" + data,
                            "--username=" + SUPERUSER,
                            "--auth=trust",
                            "--encoding=UTF8",
                            "--locale=C",
                            "--no-sync")),
                    directory,
                    directory.resolve("initdb.log"));
        }

        private static void write(TarArchiveEntry entry, InputStream content, Path directory) throws IOException {
            Path target = directory.resolve(entry.getName()).normalize();
            if (!target.startsWith(directory)) {
                throw new IOException("an entry outside of its archive: " + entry.getName());
            }
            if (entry.isDirectory()) {
                Files.createDirectories(target);
            } else if (entry.isSymbolicLink()) {
                Files.createDirectories(target.getParent());
                Files.createSymbolicLink(target, Path.of(entry.getLinkName()));
            } else {
                Files.createDirectories(target.getParent());
                Files.copy(content, target);
                boolean program = (entry.getMode() & OWNER_EXECUTES) != 0;
                Files.setPosixFilePermissions(
                        target, PosixFilePermissions.fromString(program ? "rwxr-xr-x" : "rw-r--r--"));
            }
        }
    }
}
