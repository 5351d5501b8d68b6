package io.dedup.benchmarks.idle;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the application holds after a step, as a line that its parent reads.
 *
 * @param value of the step {@code started}: milliseconds from the start of the JVM; of {@code copies}: how many
 * @param heap bytes, after a collection
 */
public record IdleReport(String step, long value, long heap, int threads) {
    private static final Pattern LINE = Pattern.compile("idle-report (\\w+) (\\d+) (\\d+) (\\d+)");

    String line() {
        return "idle-report " + step + " " + value + " " + heap + " " + threads;
    }

    static Optional<IdleReport> parse(String line) {
        Matcher found = LINE.matcher(line);
        return found.matches()
                ? Optional.of(new IdleReport(
                        found.group(1),
                        Long.parseLong(found.group(2)),
                        Long.parseLong(found.group(3)),
                        Integer.parseInt(found.group(4))))
                : Optional.empty();
    }
}
