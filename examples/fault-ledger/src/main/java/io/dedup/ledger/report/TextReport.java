package io.dedup.ledger.report;

import io.dedup.ledger.tally.RowResult;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** The ledger as a table in Markdown, which can be read as it is. */
public final class TextReport {
    private TextReport() {}

    /** With a line feed at its end. */
    public static String of(List<RowResult> results) {
        List<List<String>> lines = new ArrayList<>();
        List<String> head = new ArrayList<>(List.of("row", "combination"));
        Arrays.stream(Column.values()).map(Column::title).forEach(head::add);
        lines.add(head);
        for (RowResult result : results) {
            List<String> line = new ArrayList<>(List.of(result.row().title(), result.combination()));
            for (Column column : Column.values()) {
                String text = column.of(result).toString();
                line.add(column.isBad(result) ? "**" + text + "**" : text);
            }
            lines.add(line);
        }
        lines.add(1, head.stream().map(text -> "---").toList());
        return lines.stream()
                        .map(line -> "| " + String.join(" | ", line) + " |")
                        .collect(Collectors.joining(System.lineSeparator()))
                + System.lineSeparator();
    }
}
