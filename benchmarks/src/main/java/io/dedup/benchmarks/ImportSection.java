package io.dedup.benchmarks;

import io.dedup.Deduplicator;
import io.dedup.benchmarks.jdbc.PurgedDatabase;
import io.dedup.benchmarks.jdbc.TableForm;
import io.dedup.benchmarks.network.Network;
import io.dedup.engine.Deduplicators;
import io.dedup.migration.ImportReport;
import io.dedup.migration.ImportedId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** How long it takes to import IDs that were handled before, and to repeat that. */
final class ImportSection {
    private static final int SHOWN = 500_000;

    private final Report report;

    ImportSection(Report report) {
        this.report = report;
    }

    void run(List<String> stores, int ids) {
        Map<String, Supplier<PurgedDatabase>> databases = Map.of(
                "postgresql", () -> PurgedDatabase.postgres(Network.LOOPBACK, TableForm.LEASED),
                "postgresql-synced", PurgedDatabase::syncedPostgres,
                "mariadb", () -> PurgedDatabase.mariadb(Network.LOOPBACK, TableForm.LEASED));
        List<List<String>> rows = new ArrayList<>();
        for (String store : stores) {
            Supplier<PurgedDatabase> open = databases.get(store);
            if (open != null) {
                try (PurgedDatabase database = open.get()) {
                    rows.add(row(database, ids, "new"));
                    rows.add(row(database, ids, "known"));
                }
            }
        }
        report.heading("Import of " + String.format(Locale.ROOT, "%,d", ids) + " IDs, in batches of 500");
        report.table(List.of("store", "IDs", "seconds", "IDs a second", "load average at its end"), rows);
    }

    private List<String> row(PurgedDatabase database, int ids, String kind) {
        Instant completedAt = Instant.now().minus(Duration.ofHours(1));
        // In a scattered order, as the IDs of another table are.
        Stream<ImportedId> all = IntStream.range(0, ids)
                .mapToObj(i -> ImportedId.of(
                        Long.toHexString(Long.reverse(i * 0x9e3779b97f4a7c15L)) + "-" + i,
                        completedAt.plusMillis(i % 1_000)));
        long start = System.nanoTime();
        try (Deduplicator dedup = Deduplicators.builder(database.store())
                .consumer("billing")
                .topic("orders", policy -> policy.window(Duration.ofDays(7)))
                .build()) {
            ImportReport done = dedup.importDone("orders", all, soFar -> {
                if (soFar.read() % SHOWN == 0) {
                    report.progress(database.name() + ": " + soFar.read() + " IDs, " + kind);
                }
            });
            double seconds = (System.nanoTime() - start) / 1e9;
            return List.of(
                    database.name(),
                    kind + (done.isComplete() ? "" : " (incomplete)"),
                    String.format(Locale.ROOT, "%.0f", seconds),
                    String.format(Locale.ROOT, "%,.0f", done.read() / seconds),
                    BenchmarkMain.load());
        }
    }
}
