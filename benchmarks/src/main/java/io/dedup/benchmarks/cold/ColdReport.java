package io.dedup.benchmarks.cold;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a process had used when so many records had come, as a line that its parent reads.
 *
 * @param nanoTime as {@link System#nanoTime}
 * @param cpuNanos of all threads, with compilation and garbage collection
 * @param bytes allocated by all threads
 */
public record ColdReport(int records, long nanoTime, long cpuNanos, long bytes) {
    /** Records from one report to the next. */
    static final int STEP = 100_000;

    private static final Pattern LINE = Pattern.compile("cold-report (\\d+) (\\d+) (\\d+) (\\d+)");

    String line() {
        return "cold-report " + records + " " + nanoTime + " " + cpuNanos + " " + bytes;
    }

    static Optional<ColdReport> parse(String line) {
        Matcher found = LINE.matcher(line);
        return found.matches()
                ? Optional.of(new ColdReport(
                        Integer.parseInt(found.group(1)),
                        Long.parseLong(found.group(2)),
                        Long.parseLong(found.group(3)),
                        Long.parseLong(found.group(4))))
                : Optional.empty();
    }

    /** Microseconds on a core for each record since an earlier report. */
    public double cpuMicrosSince(ColdReport before) {
        return (cpuNanos - before.cpuNanos) / 1e3 / (records - before.records);
    }

    public double bytesSince(ColdReport before) {
        return (double) (bytes - before.bytes) / (records - before.records);
    }

    public double recordsPerSecondSince(ColdReport before) {
        return (records - before.records) * 1e9 / (nanoTime - before.nanoTime);
    }
}
