package io.dedup.mutants.report;

import io.dedup.mutants.patch.Mutant;
import java.util.List;
import java.util.Map;

/** The table of docs/mutants.md. */
public final class MarkdownTable {
    private MarkdownTable() {}

    /** A row for each mutant, with its result if there is one. */
    public static String of(List<Mutant> mutants, Map<Mutant, Result> results) {
        StringBuilder table = new StringBuilder("""
                | mutant | what it breaks | what that does to messages | found by | result |
                |---|---|---|---|---|
                """);
        for (Mutant mutant : mutants) {
            Result result = results.get(mutant);
            table.append("| `%s` | %s | **%s**: %s | `%s`%s | %s |%n"
                    .formatted(
                            mutant.name(),
                            mutant.breaks(),
                            mutant.harm().word(),
                            mutant.story(),
                            mutant.killer().shortName(),
                            mutant.ledger() == null ? "" : "; the fault ledger: " + mutant.ledger(),
                            result == null ? "" : result.verdict().word()));
        }
        return table.toString();
    }

    /** The table of docs/simulation.md. */
    public static String ofHunt(List<Mutant> mutants, Map<Mutant, Result> results) {
        StringBuilder table = new StringBuilder("""
                | mutant | what it breaks | verdict | runs until then | CPU time | seed |
                |---|---|---|---|---|---|
                """);
        for (Mutant mutant : mutants) {
            Result result = results.get(mutant);
            table.append("| `%s` | %s | %s |%n"
                    .formatted(
                            mutant.name(),
                            mutant.breaks(),
                            result == null
                                    ? " | | | "
                                    : result.why()
                                            .replace(" runs, ", ", ")
                                            .replace("seed ", "")
                                            .replace(", ", " | ")));
        }
        return table.toString();
    }
}
