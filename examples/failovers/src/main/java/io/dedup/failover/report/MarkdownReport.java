package io.dedup.failover.report;

import io.dedup.failover.count.Count;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A Markdown table, which can be read as text as well. */
public final class MarkdownReport {
    private static final List<String> TITLES = List.of(
            "scenario",
            "failovers",
            "messages",
            "copies",
            "effects",
            "lost",
            "stuck",
            "lost by the server",
            "doubled",
            "attempt > 1",
            "forgotten",
            "longest pause, s");

    private MarkdownReport() {}

    /** A line for each, by its title. */
    public static String of(Map<String, Count> counts) {
        StringBuilder text = new StringBuilder(line(TITLES.stream()));
        text.append(line(TITLES.stream().map(title -> "---")));
        counts.forEach((title, count) -> text.append(line(Stream.of(
                title,
                count.failovers(),
                count.sent(),
                count.copies(),
                count.effects(),
                bad(count.lost()),
                bad(count.stuck()),
                bad(count.gone()),
                bad(count.doubled()),
                count.told(),
                count.forgotten(),
                BigDecimal.valueOf(count.longestPauseMillis() / 100, 1)))));
        return text.toString();
    }

    private static String bad(int value) {
        return value == 0 ? "0" : "**" + value + "**";
    }

    private static String line(Stream<?> cells) {
        return cells.map(String::valueOf).collect(Collectors.joining(" | ", "| ", " |\n"));
    }
}
