package io.dedup.mutants.run;

import com.github.difflib.patch.PatchFailedException;
import io.dedup.mutants.patch.FilePatch;
import io.dedup.mutants.patch.Mutant;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * A mutant's classes, in a separate directory that comes first on the class path. Only the files that the patch changes
 * are compiled, against what Maven has built, and without the build's checks, which a mutant may break. So a mutant changes what methods
 * do, and not how others see them.
 */
final class MutatedClasses {
    /** The mutant cannot be made, and why. */
    static final class NotMade extends Exception {
        private static final long serialVersionUID = 1L;

        private final Verdict verdict;

        NotMade(Verdict verdict, String message) {
            super(message);
            this.verdict = verdict;
        }

        Verdict verdict() {
            return verdict;
        }
    }

    private final Checkout checkout;
    private final Path sources;
    private final Path classes;

    MutatedClasses(Checkout checkout, Path directory) {
        this.checkout = checkout;
        this.sources = directory.resolve("sources");
        this.classes = directory.resolve("classes");
    }

    /** Makes this one in place of the one before, and returns where its classes are. */
    Path of(Mutant mutant) throws IOException, NotMade {
        clear(sources);
        clear(classes);
        List<Path> changed = new ArrayList<>();
        for (FilePatch patch : mutant.files()) {
            Path written = write(patch);
            if (written.startsWith(sources)) {
                changed.add(written);
            }
        }
        if (!changed.isEmpty()) {
            compile(changed, checkout.testClassPath(mutant.module()));
        }
        return classes;
    }

    private Path write(FilePatch patch) throws IOException, NotMade {
        String main = patch.module() + "/src/main/";
        String inMain = patch.file().substring(main.length());
        boolean java = inMain.startsWith("java/");
        Path file = java
                ? sources.resolve(inMain.substring("java/".length()))
                : classes.resolve(inMain.substring("resources/".length()));
        Files.createDirectories(file.resolveSibling(""));
        try {
            Files.write(file, patch.applied(checkout.root()));
        } catch (PatchFailedException | IOException e) {
            throw new NotMade(Verdict.DOES_NOT_APPLY, patch.file() + ": " + e.getMessage());
        }
        return file;
    }

    private void compile(List<Path> files, List<Path> classPath) throws IOException, NotMade {
        JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
        if (javac == null) {
            throw new IllegalStateException("This Java has no compiler: run with a JDK");
        }
        StringWriter said = new StringWriter();
        try (StandardJavaFileManager manager = javac.getStandardFileManager(null, null, null)) {
            List<String> options = List.of(
                    "-proc:none",
                    "-implicit:none",
                    "-nowarn",
                    "-parameters",
                    "-g",
                    "--release",
                    "17",
                    "-d",
                    classes.toString(),
                    "-cp",
                    classPath.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)));
            if (!javac.getTask(said, manager, null, options, null, manager.getJavaFileObjectsFromPaths(files))
                    .call()) {
                throw new NotMade(Verdict.DOES_NOT_COMPILE, said.toString());
            }
        }
    }

    private static void clear(Path directory) throws IOException {
        if (Files.exists(directory)) {
            List<Path> deepestFirst;
            try (Stream<Path> files = Files.walk(directory)) {
                deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
            }
            for (Path file : deepestFirst) {
                Files.delete(file);
            }
        }
        Files.createDirectories(directory);
    }
}
