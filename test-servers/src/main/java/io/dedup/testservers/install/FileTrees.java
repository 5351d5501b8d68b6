package io.dedup.testservers.install;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Whole directories at once. */
public final class FileTrees {

    /** What {@link Files} does to one path. */
    @FunctionalInterface
    public interface Step {
        void on(Path path) throws IOException;
    }

    private FileTrees() {}

    public static void delete(Path root) {
        // Children before their parents.
        List<Path> paths = walk(root).sorted(Comparator.reverseOrder()).toList();
        paths.forEach(unchecked(Files::deleteIfExists));
    }

    /** Copies what is in {@code from} into the directory {@code to}, which exists. */
    public static void copy(Path from, Path to) {
        walk(from).skip(1).forEach(unchecked(path -> Files.copy(path, to.resolve(from.relativize(path)))));
    }

    /** How many paths there are, the root among them. */
    public static long count(Path root) {
        return walk(root).count();
    }

    public static void each(Path root, Step step) {
        walk(root).forEach(unchecked(step));
    }

    public static Path write(Path file, String text) {
        try {
            return Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static void createDirectory(Path directory) {
        try {
            Files.createDirectory(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<Path> walk(Path root) {
        try (Stream<Path> paths = Files.walk(root)) {
            return paths.toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Consumer<Path> unchecked(Step step) {
        return path -> {
            try {
                step.on(path);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
    }
}
