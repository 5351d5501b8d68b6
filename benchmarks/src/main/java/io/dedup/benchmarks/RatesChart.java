package io.dedup.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Messages a second of several contenders in groups, such as stores, as bars in an SVG picture for the pages. */
final class RatesChart {
    private static final int LABELS = 220;
    private static final int BARS = 480;
    private static final int WIDTH = LABELS + BARS + 90;
    private static final int LINE = 22;
    private static final int TOP = 40;

    private final Map<String, List<Bar>> groups = new LinkedHashMap<>();
    private final String title;
    private final StringBuilder svg = new StringBuilder();

    RatesChart(String title) {
        this.title = title;
    }

    private record Bar(String label, double rate, boolean isOurs) {}

    void add(String group, String label, double rate, boolean isOurs) {
        groups.computeIfAbsent(group, any -> new ArrayList<>()).add(new Bar(label, rate, isOurs));
    }

    boolean isEmpty() {
        return groups.isEmpty();
    }

    /** A whole document; each group has a scale of its own, since stores differ by an order of magnitude. */
    String draw() {
        int lines = groups.values().stream().mapToInt(List::size).sum() + 2 * groups.size();
        svg.setLength(0);
        add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %1$d %2$d\""
                        + " font-family=\"sans-serif\" font-size=\"13\">",
                WIDTH, TOP + LINE * lines);
        add("<title>%s</title>", title);
        add("<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>");
        add("<text x=\"12\" y=\"24\" font-size=\"15\" font-weight=\"bold\">%s</text>", title);
        int top = TOP;
        for (Map.Entry<String, List<Bar>> group : groups.entrySet()) {
            add("<text x=\"12\" y=\"%d\" font-weight=\"bold\" fill=\"#555\">%s</text>", top + 16, group.getKey());
            top += LINE;
            double max = group.getValue().stream().mapToDouble(Bar::rate).max().orElse(1);
            for (Bar bar : group.getValue()) {
                draw(bar, top, max);
                top += LINE;
            }
            top += LINE;
        }
        add("</svg>");
        return svg.toString();
    }

    private void draw(Bar bar, int top, double max) {
        double width = BARS * bar.rate() / max;
        add(
                "<text x=\"%d\" y=\"%d\" text-anchor=\"end\"%s>%s</text>"
                        + "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"14\" fill=\"%s\"/>"
                        + "<text x=\"%.1f\" y=\"%2$d\">%,.0f/s</text>",
                LABELS - 10,
                top + 14,
                bar.isOurs() ? " font-weight=\"bold\"" : "",
                bar.label(),
                LABELS,
                top + 2,
                width,
                bar.isOurs() ? "#15803d" : "#9ca3af",
                LABELS + width + 6,
                bar.rate());
    }

    private void add(String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
