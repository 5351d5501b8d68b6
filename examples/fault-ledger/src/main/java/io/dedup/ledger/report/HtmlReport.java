package io.dedup.ledger.report;

import io.dedup.ledger.tally.RowResult;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** The ledger for people: one page, with charts, which needs no other file. */
public final class HtmlReport {
    private static final String HEAD = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <title>Fault ledger</title>
            <style>
            body { font: 15px/1.5 system-ui, sans-serif; color: #222; max-width: 75rem; margin: 2rem auto; padding: 0 1rem }
            table { border-collapse: collapse; font-variant-numeric: tabular-nums }
            th, td { padding: .2rem .6rem; border-bottom: 1px solid #ddd; text-align: right }
            th:first-child, td:first-child, td:nth-child(2) { text-align: left }
            td.bad { color: #b00020; font-weight: bold }
            tr.ours td:first-child { font-weight: bold }
            svg text { font: 12px system-ui, sans-serif; fill: #222 }
            </style>
            </head>
            <body>
            """;

    private HtmlReport() {}

    /** A whole document. */
    public static String of(List<RowResult> results) {
        return HEAD + "<h1>Fault ledger</h1>\n" + sizes(results) + table(results)
                + chart("Lost: acknowledged, without effect or dead letter", results, Column.LOST, "#b00020")
                + chart("Doubled: effects beyond a message's first", results, Column.DOUBLED, "#e08000")
                + chart("Doubled after the store had lost its data", results, Column.AFTER_LOSS, "#c0a060")
                + chart("Stuck: not handled within the bound", results, Column.STUCK, "#606060")
                + chart("Time to the first effect, 50th percentile, ms", results, Column.P50, "#3070b0")
                + chart("Time to the first effect, 99th percentile, ms", results, Column.P99, "#3070b0")
                + chart("Round trips to the store, for each message", results, Column.ROUND_TRIPS, "#308060")
                + "</body>\n</html>\n";
    }

    private static String sizes(List<RowResult> results) {
        return results.stream()
                .map(result -> result.size().messages() + " messages and "
                        + result.size().faults() + " faults a row ("
                        + result.size().kinds() + "), seed "
                        + result.size().seed() + ", measured " + result.date())
                .distinct()
                .collect(Collectors.joining("<br>\n", "<p>", "</p>\n"));
    }

    private static String table(List<RowResult> results) {
        String head = Arrays.stream(Column.values())
                .map(column -> "<th>" + column.title() + "</th>")
                .collect(Collectors.joining("", "<tr><th>row</th><th>combination</th>", "</tr>\n"));
        return results.stream().map(HtmlReport::line).collect(Collectors.joining("", "<table>\n" + head, "</table>\n"));
    }

    private static String line(RowResult result) {
        return Arrays.stream(Column.values())
                .map(column -> (column.isBad(result) ? "<td class=\"bad\">" : "<td>") + column.of(result) + "</td>")
                .collect(Collectors.joining(
                        "",
                        (result.row().isOurs() ? "<tr class=\"ours\">" : "<tr>") + "<td>"
                                + result.row().title() + "</td><td>" + result.combination() + "</td>",
                        "</tr>\n"));
    }

    private static String chart(String title, List<RowResult> results, Column column, String color) {
        return "<h2>" + title + "</h2>\n" + BarChart.of(results, column, color);
    }
}
