package io.dedup.ledger.report;

import io.dedup.ledger.tally.RowResult;
import java.util.List;
import java.util.Locale;

/**
 * A bar for each row, as inline SVG. Written out here because the libraries that draw charts need the fonts of the machine,
 * give elements IDs that clash within a page, and turn letters into outlines.
 */
final class BarChart {
    private static final int LABELS = 400;
    private static final int BARS = 600;
    private static final int WIDTH = LABELS + BARS + 80;
    private static final int LINE = 20;

    private BarChart() {}

    static String of(List<RowResult> results, Column column, String color) {
        double max = results.stream()
                .mapToDouble(result -> column.of(result).doubleValue())
                .max()
                .orElse(0);
        StringBuilder svg = new StringBuilder(String.format(
                Locale.ROOT,
                "<svg role=\"img\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %1$d %2$d\">%n",
                WIDTH,
                LINE * results.size()));
        for (int i = 0; i < results.size(); i++) {
            double value = column.of(results.get(i)).doubleValue();
            double width = max == 0 ? 0 : BARS * value / max;
            int text = LINE * i + 14;
            svg.append(String.format(
                    Locale.ROOT,
                    "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>"
                            + "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"14\" fill=\"%s\"/>"
                            + "<text x=\"%.1f\" y=\"%2$d\">%s</text>%n",
                    LABELS - 8,
                    text,
                    results.get(i).row().title(),
                    LABELS,
                    LINE * i + 3,
                    width,
                    color,
                    LABELS + width + 6,
                    column.of(results.get(i))));
        }
        return svg.append("</svg>\n").toString();
    }
}
