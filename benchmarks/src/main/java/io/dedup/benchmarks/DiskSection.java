package io.dedup.benchmarks;

import io.dedup.benchmarks.jdbc.PurgeBed;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

/** What a record for ever takes on a database's disk. */
final class DiskSection {
    private static final int RECORDS = 1_000_000;

    private final Report report;

    DiskSection(Report report) {
        this.report = report;
    }

    void run(List<String> stores) {
        Map<String, Supplier<PurgeBed>> beds = Map.of("postgresql", PurgeBed::postgres, "mariadb", PurgeBed::mariadb);
        List<List<String>> rows = new ArrayList<>();
        for (String store : List.of("postgresql", "mariadb")) {
            Supplier<PurgeBed> open = beds.get(store);
            if (open != null && stores.contains(store)) {
                try (PurgeBed bed = open.get()) {
                    rows.add(row(bed));
                }
            }
        }
        report.heading("Databases: bytes of a DONE record without a result, of " + RECORDS + " with random IDs");
        report.table(List.of("store", "table", "indexes beside it", "together"), rows);
    }

    private static List<String> row(PurgeBed bed) {
        bed.fillForever(RECORDS);
        long[] bytes = bed.bytes();
        return List.of(bed.name(), each(bytes[0]), each(bytes[1]), each(bytes[0] + bytes[1]));
    }

    private static String each(long bytes) {
        return String.format(Locale.ROOT, "%d", bytes / RECORDS);
    }
}
