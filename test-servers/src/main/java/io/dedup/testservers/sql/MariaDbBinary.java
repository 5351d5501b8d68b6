package io.dedup.testservers.sql;

import io.dedup.testservers.install.BinaryCache;
import io.dedup.testservers.install.FileTrees;
import io.dedup.testservers.install.Platform;
import io.dedup.testservers.install.ServerJars;
import io.dedup.testservers.process.ServerProcess;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** The unpacked MariaDB from Maven Central: the server and its system tables. */
final class MariaDbBinary {

    private static final List<String> SYSTEM_TABLES = List.of(
            "mariadb_system_tables.sql",
            "mariadb_performance_tables.sql",
            "mariadb_system_tables_data.sql",
            "maria_add_gis_sp_bootstrap.sql");

    private MariaDbBinary() {}

    /** The command line of a server whose files are in {@code data}. */
    static List<String> command(Path data) {
        return command(Holder.DIRECTORY, data);
    }

    /** A new data directory: copied, as making the system tables takes longer. */
    static void copyNewData(Path target) {
        FileTrees.createDirectory(target);
        FileTrees.copy(Holder.DIRECTORY.resolve("new-data"), target);
    }

    private static List<String> command(Path directory, Path data) {
        return List.of(
                directory.resolve("bin").resolve("mariadbd").toString(),
                "--no-defaults",
                "--user=" + System.getProperty("user.name"),
                "--basedir=" + directory,
                "--datadir=" + data,
                "--innodb-log-file-size=32M",
                "--innodb-undo-tablespaces=0",
                "--innodb-use-native-aio=OFF");
    }

    private static final class Holder {
        static final Path DIRECTORY = unpack();

        private static Path unpack() {
            Platform.requireLinuxAmd64("MariaDB", "mariadb=jdbc:mariadb://…");
            Path jar = ServerJars.mariaDb();
            return BinaryCache.get(jar, directory -> unpack(jar, directory));
        }

        private static void unpack(Path jar, Path directory) throws IOException {
            try (ZipFile zip = new ZipFile(jar.toFile())) {
                for (ZipEntry entry : zip.stream().toList()) {
                    unpack(zip, entry, directory);
                }
            }
            initialize(directory);
        }

        /** Only what the server itself needs of the 360 MB. */
        private static void unpack(ZipFile zip, ZipEntry entry, Path directory) throws IOException {
            int start = Math.max(
                    entry.getName().lastIndexOf("/bin/mariadbd"),
                    entry.getName().indexOf("/share/"));
            if (start < 0 || entry.isDirectory() || entry.getName().endsWith(".jar")) {
                return;
            }
            Path target =
                    directory.resolve(entry.getName().substring(start + 1)).normalize();
            if (!target.startsWith(directory)) {
                throw new IOException("an entry outside of its archive: " + entry.getName());
            }
            Files.createDirectories(target.getParent());
            try (InputStream content = zip.getInputStream(entry)) {
                Files.copy(content, target);
            }
            if (target.endsWith("mariadbd")) {
                Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rwxr-xr-x"));
            }
        }

        /** What the distribution's install script does. */
        private static void initialize(Path directory) throws IOException {
            StringBuilder sql = new StringBuilder("create database mysql;\nuse mysql;\nSET @auth_root_socket=NULL;\n");
            for (String file : SYSTEM_TABLES) {
                sql.append(Files.readString(directory.resolve("share").resolve(file), StandardCharsets.UTF_8));
            }
            Path input = FileTrees.write(directory.resolve("bootstrap.sql"), sql.toString());
            Path data = Files.createDirectory(directory.resolve("new-data"));
            List<String> command = new ArrayList<>(command(directory, data));
            command.add("--bootstrap");
            ServerProcess.run("mariadb-bootstrap", command, input, directory, directory.resolve("bootstrap.log"));
        }
    }
}
