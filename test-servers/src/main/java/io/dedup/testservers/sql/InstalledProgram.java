package io.dedup.testservers.sql;

import io.dedup.testservers.Settings;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Files that a distribution's packages bring, and that Maven Central doesn't have. */
final class InstalledProgram {

    private InstalledProgram() {}

    /** The file that the setting names, else the first that exists. */
    static Optional<Path> find(String setting, List<Path> usual) {
        return Settings.get(setting)
                .map(Path::of)
                .or(() -> usual.stream().filter(Files::isRegularFile).findFirst());
    }

    /** Where a program may be: on the {@code PATH}, or where it isn't on every user's. */
    static List<Path> onPath(String program) {
        String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Stream.concat(Stream.of(path.split(File.pathSeparator)), Stream.of("/usr/sbin", "/usr/local/sbin"))
                .filter(directory -> !directory.isEmpty())
                .map(directory -> Path.of(directory, program))
                .toList();
    }
}
