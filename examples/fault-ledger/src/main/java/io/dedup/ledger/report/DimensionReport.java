package io.dedup.ledger.report;

import io.dedup.ledger.tally.RowResult;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToIntFunction;

/** Many results of drawn circumstances, added up by row and by each word that describes their circumstances. */
public final class DimensionReport {
    private DimensionReport() {}

    /** A table in Markdown, with a line feed at its end. */
    public static String of(List<RowResult> results) {
        Map<String, List<RowResult>> rows = new TreeMap<>();
        Map<String, List<RowResult>> words = new TreeMap<>();
        for (RowResult result : results) {
            rows.computeIfAbsent(result.row().title(), any -> new ArrayList<>()).add(result);
            for (String word : result.combination().split(" ", -1)) {
                words.computeIfAbsent(word, any -> new ArrayList<>()).add(result);
            }
        }
        StringBuilder table = new StringBuilder(
                "| | combinations | effects expected | lost | doubled | attempt > 1"
                        + " | doubled after data loss | stuck | given up | promises broken |\n|---|---|---|---|---|---|---|---|---|---|\n");
        rows.forEach((title, of) -> line(title, of, table));
        words.forEach((word, of) -> line("`" + word + "`", of, table));
        line("all", results, table);
        return table.toString();
    }

    private static void line(String title, Collection<RowResult> results, StringBuilder table) {
        table.append("| ").append(title).append(" | ").append(results.size());
        List<ToIntFunction<RowResult>> sums = List.of(
                RowResult::expected,
                RowResult::lost,
                RowResult::doubled,
                RowResult::recognizable,
                RowResult::afterLoss,
                RowResult::stuck,
                RowResult::deadLettered,
                result -> result.brokenPromises().size());
        for (ToIntFunction<RowResult> sum : sums) {
            table.append(" | ").append(results.stream().mapToInt(sum).sum());
        }
        table.append(" |\n");
    }
}
