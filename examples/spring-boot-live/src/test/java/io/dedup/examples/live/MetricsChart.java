package io.dedup.examples.live;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.springframework.web.util.HtmlUtils;
import tools.jackson.databind.JsonNode;

/** Line charts in two columns, as one SVG picture that reads on light and dark pages. */
final class MetricsChart {
    private static final int WIDTH = 620;
    private static final int HEIGHT = 300;
    private static final int LEFT = 62;
    private static final int TOP = 44;
    private static final int PLOT_WIDTH = WIDTH - LEFT - 30;
    private static final int PLOT_HEIGHT = 180;
    private static final int HEAD = 58;
    private static final List<String> COLOURS =
            List.of("#1f77b4", "#d9730d", "#2a9d4a", "#c0392b", "#8e5bb5", "#7a5c4f", "#c9509b", "#5f6b76");

    private final Instant from;
    private final Duration time;
    private final List<Instant> kills;
    private final List<String> panels = new ArrayList<>();

    MetricsChart(Instant from, Instant to, List<Instant> kills) {
        this.from = from;
        this.time = Duration.between(from, to);
        this.kills = kills;
    }

    /** Leaves out series that stayed at zero. */
    void panel(String title, String unit, Map<String, JsonNode> series) {
        series.values().removeIf(values -> max(values) == 0);
        double max =
                series.values().stream().mapToDouble(MetricsChart::max).max().orElse(1);
        double top = ceiling(unit.equals("percentunit") ? Math.min(1, max) : max);
        StringBuilder svg = new StringBuilder();
        svg.append("<g transform='translate(%d %d)'>"
                .formatted(panels.size() % 2 * WIDTH, HEAD + panels.size() / 2 * HEIGHT));
        svg.append("<text class='title' x='%d' y='28'>%s</text>".formatted(LEFT, HtmlUtils.htmlEscape(title)));
        for (int i = 0; i <= 5; i++) {
            double y = TOP + PLOT_HEIGHT * (1 - i / 5.0);
            svg.append("<path class='grid' d='M%d %.1fh%d'/>".formatted(LEFT, y, PLOT_WIDTH));
            svg.append("<text class='axis' text-anchor='end' x='%d' y='%.1f'>%s</text>"
                    .formatted(LEFT - 8, y + 4, label(top * i / 5, unit)));
        }
        for (int second = 0; second <= time.toSeconds(); second += 15) {
            svg.append("<text class='axis' text-anchor='middle' x='%.1f' y='%d'>%d s</text>"
                    .formatted(x(second), TOP + PLOT_HEIGHT + 18, second));
        }
        for (Instant kill : kills) {
            svg.append("<path class='kill' d='M%.1f %dv%d'/>"
                    .formatted(x(Duration.between(from, kill).toMillis() / 1e3), TOP, PLOT_HEIGHT));
        }
        int number = 0;
        int legend = LEFT;
        for (Map.Entry<String, JsonNode> each : series.entrySet()) {
            String color = COLOURS.get(number++ % COLOURS.size());
            svg.append("<path class='line' stroke='%s' d='%s'/>".formatted(color, line(each.getValue(), top)));
            svg.append("<text class='legend' style='fill:%s' x='%d' y='%d'>● %s</text>"
                    .formatted(color, legend, TOP + PLOT_HEIGHT + 42, HtmlUtils.htmlEscape(each.getKey())));
            legend += 28 + 7 * each.getKey().length();
        }
        panels.add(svg.append("</g>\n").toString());
    }

    String svg() {
        int height = HEAD + (panels.size() + 1) / 2 * HEIGHT;
        return """
                <svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' role='img' aria-label='Metrics of dedup over a minute with two kills'>
                <style>
                text { font-family: system-ui, sans-serif; font-size: 12px; fill: #1b1f24; }
                .head { font-size: 17px; font-weight: 700; } .title { font-size: 14px; font-weight: 700; }
                .note, .axis { fill: #57606a; } .legend { font-weight: 600; } .grid { stroke: #d5dbe2; }
                .line { fill: none; stroke-width: 2; stroke-linejoin: round; } .kill { stroke: #c0392b; stroke-width: 1.5; stroke-dasharray: 5 4; }
                </style>
                <rect width='100%%' height='100%%' fill='#fff'/>
                <text class='head' x='%d' y='28'>The main queries of the Grafana dashboard, answered by Prometheus</text>
                <text class='note' x='%d' y='48'>Live example, %d s: up to four orders and four mails a second, each third one sent twice. Dashed: kill -9 of the consumer.</text>
                %s</svg>
                """.formatted(2 * WIDTH, height, LEFT, LEFT, time.toSeconds(), String.join("", panels));
    }

    private String line(JsonNode values, double top) {
        StringBuilder path = new StringBuilder();
        double last = Double.NaN;
        for (JsonNode each : values) {
            double second = each.at("/0").asDouble() - from.getEpochSecond();
            double value = value(each);
            if (Double.isNaN(value) || second < 0) {
                continue;
            }
            path.append(second - last <= 1.5 ? 'L' : 'M') // no line across seconds without a value
                    .append("%.1f %.1f".formatted(x(second), TOP + PLOT_HEIGHT * (1 - Math.min(1, value / top))));
            last = second;
        }
        return path.toString();
    }

    private double x(double second) {
        return LEFT + PLOT_WIDTH * second / Math.max(1, time.toSeconds());
    }

    private static double value(JsonNode sample) {
        return Double.parseDouble(sample.at("/1").asString());
    }

    private static double max(JsonNode values) {
        return StreamSupport.stream(values.spliterator(), false)
                .mapToDouble(MetricsChart::value)
                .filter(Double::isFinite)
                .max()
                .orElse(0);
    }

    /** The next of 1, 2, 3, 4, 5, 10 times a power of ten, so that a fifth of it is a short number. */
    private static double ceiling(double value) {
        double power = Math.pow(10, Math.floor(Math.log10(value)));
        for (int factor : new int[] {1, 2, 3, 4, 5}) {
            if (value <= factor * power) {
                return factor * power;
            }
        }
        return 10 * power;
    }

    private static String label(double value, String unit) {
        return switch (unit) {
            case "percentunit" -> "%.0f %%".formatted(value * 100);
            case "s" -> "%.0f ms".formatted(value * 1_000);
            case "ops" -> "%s/s".formatted(plain(value));
            default -> plain(value);
        };
    }

    private static String plain(double value) {
        return value == Math.rint(value) ? "%.0f".formatted(value) : "%s".formatted((float) value);
    }

    static {
        Locale.setDefault(Locale.ROOT); // of the numbers in the picture
    }
}
