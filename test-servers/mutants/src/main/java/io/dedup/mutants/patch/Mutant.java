package io.dedup.mutants.patch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A mistake that somebody could make, written down in a file {@code name.patch}: a head of lines such as {@code Breaks: …}, and a
 * unified diff that {@code git apply} reads, too.
 *
 * @param breaks which rule it breaks, and how
 * @param harm what that does to messages
 * @param story how that would happen to a user
 * @param row the row of "What a change can break unnoticed" in docs/architecture.md whose rule it breaks; null for another rule
 * @param killer the test that fails with it
 * @param ledger what finds it in the fault ledger, if anything does
 * @param timeoutKills whether a test that doesn't end has found it
 */
public record Mutant(
        String name,
        String breaks,
        Harm harm,
        String story,
        @Nullable String row,
        TestName killer,
        @Nullable String ledger,
        boolean timeoutKills,
        List<FilePatch> files,
        String text) {
    private static final Set<String> FIELDS = Set.of("Breaks", "Harm", "Row", "Killer", "Ledger", "Timeout");

    /** All in this directory, in the order of their names. */
    public static List<Mutant> allIn(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            List<Path> patches = files.filter(file -> file.toString().endsWith(".patch"))
                    .sorted()
                    .toList();
            List<Mutant> all = new ArrayList<>(patches.size());
            for (Path patch : patches) {
                all.add(of(patch));
            }
            return all;
        }
    }

    private static Mutant of(Path file) throws IOException {
        String name = String.valueOf(file.getFileName()).replace(".patch", "");
        List<String> lines = Files.readAllLines(file);
        int head = 0;
        while (head < lines.size() && !lines.get(head).startsWith("--- a/")) {
            head++;
        }
        try {
            Map<String, String> fields = fields(lines.subList(0, head));
            String harm = required(fields, "Harm");
            int colon = harm.indexOf(':');
            return new Mutant(
                    name,
                    required(fields, "Breaks"),
                    Harm.of(harm.substring(0, colon)),
                    harm.substring(colon + 1).strip(),
                    fields.get("Row"),
                    TestName.of(required(fields, "Killer")),
                    fields.get("Ledger"),
                    "kills".equals(fields.get("Timeout")),
                    FilePatch.allOf(lines.subList(head, lines.size())),
                    String.join("\n", lines));
        } catch (RuntimeException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
        }
    }

    /** A field continues in lines that begin with a space. */
    private static Map<String, String> fields(List<String> head) {
        Map<String, String> fields = new HashMap<>();
        String current = "";
        for (String line : head) {
            int colon = line.indexOf(':');
            if (line.startsWith(" ")) {
                fields.merge(current, line.strip(), (before, more) -> before + " " + more);
            } else if (!line.isBlank()) {
                current = colon < 0 ? line : line.substring(0, colon);
                fields.put(current, line.substring(colon + 1).strip());
            }
        }
        Set<String> unknown = new HashSet<>(fields.keySet());
        unknown.removeAll(FIELDS);
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException("unknown in its head: " + unknown);
        }
        return fields;
    }

    private static String required(Map<String, String> fields, String name) {
        String value = fields.get(name);
        if (value == null || value.isBlank()) {
            throw new IllegalArgumentException("its head lacks " + name);
        }
        return value;
    }

    /** The module whose sources it changes. */
    public String module() {
        return files.get(0).module();
    }
}
