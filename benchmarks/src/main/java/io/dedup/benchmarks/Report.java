package io.dedup.benchmarks;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Collects the tables, as Markdown, and prints the progress meanwhile. */
final class Report {
    private final StringBuilder text = new StringBuilder();
    private final Map<String, String> pictures = new LinkedHashMap<>();
    private final PrintStream progress;

    Report(PrintStream progress) {
        this.progress = progress;
    }

    /** Prints the progress to the console only. */
    void progress(String line) {
        progress.println(line);
    }

    void heading(String title) {
        line("").line("## " + title).line("");
    }

    Report line(String line) {
        text.append(line).append('\n');
        return this;
    }

    /** Says so where there are no rows: not every store is measured in every section. */
    void table(List<String> head, List<List<String>> rows) {
        if (rows.isEmpty()) {
            line("None of the chosen stores is measured here.");
            return;
        }
        row(head);
        row(head.stream().map(column -> "---").toList());
        rows.forEach(this::row);
        line("");
    }

    private void row(List<String> cells) {
        line("| " + String.join(" | ", cells) + " |");
    }

    /** Is written beside the tables, as {@code name.svg}; not where nothing was measured. */
    void picture(String name, RatesChart chart) {
        if (!chart.isEmpty()) {
            pictures.put(name + ".svg", chart.draw());
        }
    }

    void writeTo(Path file) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.writeString(file, text);
        for (Map.Entry<String, String> picture : pictures.entrySet()) {
            Files.writeString(file.resolveSibling(picture.getKey()), picture.getValue());
        }
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
