package io.dedup.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Every class, method and test that docs/architecture.md names exists under that name. */
class ArchitectureDocTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern NAMED = Pattern.compile("`([A-Z][A-Za-z0-9]*)(?:#(\\w+))?`");

    @Test
    @DisplayName("each class, method and test that docs/architecture.md names exists")
    void namesWhatExists() throws IOException {
        Map<String, List<Path>> sources = sources();
        String page = Files.readString(ROOT.resolve("docs").resolve("architecture.md"));
        List<String> wrong = new ArrayList<>();
        int methods = 0;
        for (Matcher named = NAMED.matcher(page); named.find(); ) {
            String type = named.group(1);
            String method = named.group(2);
            if (method != null) {
                methods++;
            }
            if (!type.equals(type.toUpperCase(Locale.ROOT)) && !exists(sources, type, method)) {
                wrong.add(named.group());
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(methods).isGreaterThan(50);
    }

    private static boolean exists(Map<String, List<Path>> sources, String type, String method) {
        List<Path> files = sources.get(type);
        if (files == null) {
            return method == null && isNested(sources, type);
        }
        Pattern call = Pattern.compile("\\b" + method + "\\s*\\(");
        return method == null
                || files.stream().anyMatch(file -> call.matcher(textOf(file)).find());
    }

    /** An answer such as {@code AlreadyDone} is a nested type of what it answers. */
    private static boolean isNested(Map<String, List<Path>> sources, String type) {
        Pattern declared = Pattern.compile("\\b(record|class|enum|interface) " + type + "\\b");
        return sources.values().stream()
                .flatMap(List::stream)
                .filter(file -> file.toString().contains("dedup-core"))
                .anyMatch(file -> declared.matcher(textOf(file)).find());
    }

    private static Map<String, List<Path>> sources() throws IOException {
        Map<String, List<Path>> sources = new HashMap<>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                String name = directory.getFileName().toString();
                boolean skipped = name.equals("target") || (name.startsWith(".") && !directory.equals(ROOT));
                return skipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                String name = file.getFileName().toString();
                if (name.endsWith(".java")) {
                    sources.computeIfAbsent(name.replace(".java", ""), unused -> new ArrayList<>())
                            .add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return sources;
    }

    private static String textOf(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
