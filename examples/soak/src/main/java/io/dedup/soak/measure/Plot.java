package io.dedup.soak.measure;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * A small chart for each measure, as SVG. Written out here because the libraries that draw charts need the fonts of the
 * machine, which a server without a desktop doesn't have.
 */
public final class Plot {
    private static final int COLUMNS = 2;
    private static final int CELL_WIDTH = 480;
    private static final int CELL_HEIGHT = 170;
    private static final int LEFT = 60;
    private static final int TOP = 34;
    private static final int WIDTH = CELL_WIDTH - LEFT - 20;
    private static final int HEIGHT = CELL_HEIGHT - TOP - 30;

    private final List<Sample> samples;
    private final StringBuilder svg = new StringBuilder();

    private Plot(List<Sample> samples) {
        this.samples = samples;
    }

    public static String of(List<Sample> samples, String title) {
        return new Plot(samples).draw(title);
    }

    private record Curve(String title, ToDoubleFunction<Sample> value, String note) {}

    private String draw(String title) {
        List<Curve> curves = new ArrayList<>();
        for (Growth growth : Growth.of(samples)) {
            Measure measure = growth.measure();
            String unit = measure.unit().isEmpty() ? "" : " " + measure.unit();
            curves.add(new Curve(
                    measure.title() + (unit.isEmpty() ? "" : "," + unit),
                    sample -> sample.value(measure),
                    "median " + text(growth.before()) + " → " + text(growth.after()) + unit));
        }
        curves.add(new Curve("records in Redis, thousands", sample -> sample.redisKeys() / 1e3, ""));
        curves.add(new Curve("messages handled, millions", sample -> sample.ids() / 1e6, ""));
        int rows = (curves.size() + COLUMNS - 1) / COLUMNS;
        add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %1$d %2$d\""
                        + " font-family=\"sans-serif\" font-size=\"12\">",
                COLUMNS * CELL_WIDTH, rows * CELL_HEIGHT + 30);
        add("<title>%s</title>", title);
        add("<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>");
        add("<text x=\"12\" y=\"20\" font-size=\"14\" font-weight=\"bold\">%s</text>", title);
        for (int i = 0; i < curves.size(); i++) {
            add("<g transform=\"translate(%d,%d)\">", i % COLUMNS * CELL_WIDTH, i / COLUMNS * CELL_HEIGHT + 30);
            draw(curves.get(i));
            add("</g>");
        }
        add("</svg>");
        return svg.toString();
    }

    private void draw(Curve curve) {
        double most = samples.stream().mapToDouble(curve.value()).max().orElse(0);
        double top = most <= 0 ? 1 : most * 1.15; // from 0, so that small changes don't look like growth
        double end = samples.get(samples.size() - 1).seconds();
        add("<text x=\"%d\" y=\"22\" font-weight=\"bold\">%s</text>", LEFT, curve.title());
        add("<text x=\"%d\" y=\"22\" text-anchor=\"end\" fill=\"#555\">%s</text>", LEFT + WIDTH, curve.note());
        add("<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"#f0f0f0\"/>", LEFT, TOP, WIDTH / 6.0, HEIGHT);
        add("<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"#888\"/>", LEFT, TOP, TOP + HEIGHT, LEFT + WIDTH);
        add("<text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"#555\">%s</text>", LEFT - 6, TOP + 8, text(top));
        add("<text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"#555\">0</text>", LEFT - 6, TOP + HEIGHT);
        add(
                "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"#555\">%s min</text>",
                LEFT + WIDTH, TOP + HEIGHT + 16, text(end / 60));
        StringBuilder points = new StringBuilder();
        for (Sample sample : samples) {
            points.append(String.format(
                    Locale.ROOT,
                    "%.1f,%.1f ",
                    LEFT + WIDTH * sample.seconds() / end,
                    TOP + HEIGHT * (1 - curve.value().applyAsDouble(sample) / top)));
        }
        add(
                "<polyline points=\"%s\" fill=\"none\" stroke=\"#1f6fb2\" stroke-width=\"1.5\"/>",
                points.toString().strip());
    }

    private static String text(double value) {
        return String.format(Locale.ROOT, value < 10 && value != Math.rint(value) ? "%.1f" : "%.0f", value);
    }

    private void add(String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
