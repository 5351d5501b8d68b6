package io.dedup.ledger.report;

import io.dedup.ledger.tally.RowResult;
import java.util.List;
import java.util.Locale;

/**
 * The ledger as one picture for a page: for each row how many messages were lost and how many took effect twice. Bars grow with
 * the logarithm, because some rows have a handful and others thousands; the numbers stand beside them.
 */
public final class SvgReport {
    private static final int LABELS = 400;
    private static final int PANEL = 260;
    private static final int BARS = PANEL - 70;
    private static final int TOP = 62;
    private static final int LINE = 22;
    private static final int WIDTH = LABELS + 2 * PANEL + 10;
    private static final String LOST = "#b00020";
    private static final String DOUBLED = "#d97706";

    private final StringBuilder svg = new StringBuilder();

    private SvgReport() {}

    /** A whole document. */
    public static String of(List<RowResult> results) {
        return new SvgReport().draw(results);
    }

    private String draw(List<RowResult> results) {
        int height = TOP + LINE * results.size() + 34;
        double max = results.stream()
                .mapToInt(result -> Math.max(result.lost(), result.doubled()))
                .max()
                .orElse(0);
        add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %1$d %2$d\""
                        + " font-family=\"sans-serif\" font-size=\"13\">",
                WIDTH, height);
        add("<title>Fault ledger: messages lost and handled twice</title>");
        add("<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>");
        add("<text x=\"12\" y=\"24\" font-size=\"15\" font-weight=\"bold\">What %s</text>", sizes(results));
        add("<text x=\"%d\" y=\"50\" font-weight=\"bold\" fill=\"%s\">lost</text>", LABELS, LOST);
        add("<text x=\"%d\" y=\"50\" font-weight=\"bold\" fill=\"%s\">handled twice</text>", LABELS + PANEL, DOUBLED);
        for (int i = 0; i < results.size(); i++) {
            RowResult result = results.get(i);
            int top = TOP + LINE * i;
            if (result.row().isOurs()) {
                add("<rect x=\"6\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#eef6ee\"/>", top - 2, WIDTH - 12, LINE);
            }
            add(
                    "<text x=\"%d\" y=\"%d\" text-anchor=\"end\"%s>%s</text>",
                    LABELS - 10,
                    top + 14,
                    result.row().isOurs() ? " font-weight=\"bold\"" : "",
                    result.row().title());
            bar(LABELS, top, result.lost(), max, LOST);
            bar(LABELS + PANEL, top, result.doubled(), max, DOUBLED);
        }
        add(
                "<text x=\"12\" y=\"%d\" fill=\"#555\">Not counted: messages handled again because the store had been emptied."
                        + " Bars grow with the logarithm.</text>",
                height - 12);
        add("</svg>");
        return svg.toString();
    }

    private static String sizes(List<RowResult> results) {
        return results.stream()
                .map(result -> String.format(
                        Locale.ROOT,
                        "%d faults did to %,d messages (seed %d, %s)",
                        result.size().faults(),
                        result.size().messages(),
                        result.size().seed(),
                        result.date()))
                .findFirst()
                .orElse("happened");
    }

    private void bar(int left, int top, int value, double max, String color) {
        double width = value == 0 ? 0 : 4 + (BARS - 4) * Math.log1p(value) / Math.log1p(max);
        add(
                "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"14\" fill=\"%s\"/>"
                        + "<text x=\"%.1f\" y=\"%d\"%s>%,d</text>",
                left, top + 2, width, color, left + width + 6, top + 14, value == 0 ? " fill=\"#777\"" : "", value);
    }

    private void add(String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
