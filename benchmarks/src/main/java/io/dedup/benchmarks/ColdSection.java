package io.dedup.benchmarks;

import io.dedup.benchmarks.cold.ColdReport;
import io.dedup.benchmarks.cold.ColdRun;
import io.dedup.benchmarks.kafka.ListenerNames;
import io.dedup.benchmarks.measure.Spread;
import io.dedup.testservers.redis.RedisBinary;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** What a record costs the process of its listener, from the first record of a new JVM to the last. */
final class ColdSection {
    private static final List<String> LISTENERS =
            List.of(ListenerNames.NO_DEDUP, ListenerNames.BY_HAND_BATCH, ListenerNames.AHEAD, ListenerNames.BATCH);

    private final Report report;
    private final int rounds;

    ColdSection(Report report, int rounds) {
        this.report = report;
        this.rounds = rounds;
    }

    /** @param records at least 300,000 */
    void run(int records) throws IOException, InterruptedException {
        Map<String, List<List<ColdReport>>> found = new LinkedHashMap<>();
        try (ColdRun cold = new ColdRun(RedisBinary.installed().orElseGet(RedisBinary::embedded), records)) {
            for (int round = 1; round <= rounds; round++) {
                for (String listener : LISTENERS) {
                    List<ColdReport> reports = cold.run(listener);
                    found.computeIfAbsent(listener, name -> new ArrayList<>()).add(reports);
                    report.progress(String.format(
                            Locale.ROOT, "%s, round %d: %s", listener, round, micros(reports, 0, reports.size() - 1)));
                }
            }
            report.heading("What a record costs the listener's process, " + cold.name() + ": CPU µs a record");
            print(found);
        }
    }

    private void print(Map<String, List<List<ColdReport>>> found) {
        List<List<String>> rows = new ArrayList<>();
        found.forEach((listener, runs) -> {
            int last = runs.get(0).size() - 1;
            int half = last / 2;
            rows.add(List.of(
                    listener,
                    median(runs, run -> micros(run, 0, 1)),
                    median(runs, run -> micros(run, 1, 2)),
                    median(runs, run -> micros(run, 2, 3)),
                    median(runs, run -> micros(run, half, last)),
                    whole(runs, run -> run.get(last).bytesSince(run.get(half))),
                    whole(runs, run -> run.get(last).recordsPerSecondSince(run.get(half)))));
        });
        report.table(
                List.of(
                        "listener",
                        "first 100,000",
                        "second 100,000",
                        "third 100,000",
                        "second half",
                        "bytes a record, second half",
                        "records/s, second half"),
                rows);
    }

    private static double micros(List<ColdReport> run, int from, int to) {
        return run.get(to).cpuMicrosSince(run.get(from));
    }

    private static String median(List<List<ColdReport>> runs, ToDoubleFunction<List<ColdReport>> value) {
        return String.format(
                Locale.ROOT, "%.1f", Spread.of(runs.stream().mapToDouble(value)).median());
    }

    private static String whole(List<List<ColdReport>> runs, ToDoubleFunction<List<ColdReport>> value) {
        return String.format(
                Locale.ROOT,
                "%,.0f",
                Spread.of(runs.stream().mapToDouble(value)).median());
    }
}
