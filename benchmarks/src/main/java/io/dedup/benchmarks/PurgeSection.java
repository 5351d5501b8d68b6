package io.dedup.benchmarks;

import io.dedup.benchmarks.jdbc.PurgedDatabase;
import io.dedup.benchmarks.jdbc.TableForm;
import io.dedup.benchmarks.latency.PurgeLatency;
import io.dedup.benchmarks.network.Network;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What the background purge costs claims that run at the same time. */
final class PurgeSection {
    private static final double TARGET = 1.3;

    private final Report report;
    private final Targets targets;

    PurgeSection(Report report, Targets targets) {
        this.report = report;
        this.targets = targets;
    }

    void run(List<String> stores, List<Network> networks, int records, int claimsPerSecond, int batch, int most) {
        PurgeLatency latency = new PurgeLatency(report::progress);
        List<List<String>> rows = new ArrayList<>();
        for (Network network : networks) {
            if (stores.contains("postgresql")) {
                try (PurgedDatabase database = PurgedDatabase.postgres(network, TableForm.LEASED)) {
                    rows.add(row(latency.measure(database, records, claimsPerSecond, batch, most)));
                }
            }
            if (stores.contains("mariadb")) {
                try (PurgedDatabase database = PurgedDatabase.mariadb(network, TableForm.LEASED)) {
                    rows.add(row(latency.measure(database, records, claimsPerSecond, batch, most)));
                }
            }
        }
        report.heading("Purge: single claims, " + claimsPerSecond + "/s, in µs at 50 / 99 / 99.9 per cent");
        report.table(
                List.of(
                        "store",
                        "expired records",
                        "purging for, s",
                        "deleted a second",
                        "claims, no purge",
                        "claims during the purge",
                        "99 per cent, during by without",
                        "load average at its end"),
                rows);
    }

    private List<String> row(PurgeLatency.Figures figures) {
        targets.atMost(
                "claim at 99 %, during a purge / idle",
                figures.store(), TARGET, figures.ratios().median());
        return List.of(
                figures.store(),
                String.format(Locale.ROOT, "%,d", figures.records()),
                Long.toString(figures.took().toSeconds()),
                String.format(
                        Locale.ROOT,
                        "%,d",
                        (figures.records() - figures.left()) / figures.took().toSeconds()),
                figures.idle().micros(),
                figures.during().micros(),
                figures.ratios().ratio(),
                BenchmarkMain.load());
    }
}
