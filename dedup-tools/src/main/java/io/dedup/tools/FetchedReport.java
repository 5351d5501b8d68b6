package io.dedup.tools;

import io.dedup.report.DuplicationReport;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The report of a process, or of several.
 *
 * @param windows the lengths of windows by scope, unless they are for ever
 */
record FetchedReport(DuplicationReport report, Map<String, Duration> windows) {
    private static final int MAX_COPIED = 100_000;

    /** Where processes differ, the shortest window counts. */
    static FetchedReport merged(List<FetchedReport> some) {
        Map<String, Duration> windows = new HashMap<>();
        for (FetchedReport each : some) {
            each.windows.forEach(
                    (scope, length) -> windows.merge(scope, length, (a, b) -> a.compareTo(b) <= 0 ? a : b));
        }
        return new FetchedReport(
                DuplicationReport.merged(
                        some.stream().map(FetchedReport::report).toList(), MAX_COPIED),
                windows);
    }
}
