package io.dedup.rules.checkout;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;

/** The files of this repository, without those that the build writes. */
final class Checkout {
    static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();

    private Checkout() {}

    /** The files whose path within the repository ends with the text, in the order of their names. */
    static List<Path> files(String end) {
        List<Path> files = new ArrayList<>();
        try {
            Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                    String name = directory.getFileName().toString();
                    boolean skipped = name.equals("target")
                            || name.equals("node_modules")
                            || (!directory.equals(ROOT) && name.startsWith(".") && !name.equals(".github"));
                    return skipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    if (file.toString().endsWith(end)) {
                        files.add(file);
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        files.sort(null);
        return files;
    }

    static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String text(String pathInRepository) {
        return text(ROOT.resolve(pathInRepository));
    }

    /** How messages name a file. */
    static String name(Path file) {
        return ROOT.relativize(file).toString();
    }
}
