package io.dedup.mutants.run;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The sources that mutants change, and what Maven has built of them. Nothing in here is ever changed. */
final class Checkout {
    private final Path root;

    Checkout(Path root) {
        this.root = root.toAbsolutePath().normalize();
    }

    Path root() {
        return root;
    }

    Path module(String module) {
        return root.resolve(module);
    }

    /** The class path of a module's tests: its own classes first, then what Maven has written beside them. */
    List<Path> testClassPath(String module) throws IOException {
        Path target = module(module).resolve("target");
        List<Path> path = new ArrayList<>(List.of(target.resolve("test-classes"), target.resolve("classes")));
        for (String entry :
                Files.readString(target.resolve("test-class-path.txt")).strip().split(File.pathSeparator)) {
            path.add(Path.of(entry));
        }
        return path;
    }

    /** The commit, with a mark if tracked files differ from it; a question mark where git knows nothing of this directory. */
    String commit() {
        String commit = git("rev-parse", "--short=10", "HEAD");
        if (commit.isEmpty()) {
            return "?";
        }
        return git("status", "--porcelain", "--untracked-files=no").isEmpty() ? commit : commit + "+changes";
    }

    private String git(String... arguments) {
        List<String> command = new ArrayList<>(List.of("git", "-C", root.toString()));
        command.addAll(List.of(arguments));
        try {
            Process git = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String output = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return git.waitFor() == 0 ? output : "";
        } catch (IOException e) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }
}
