package io.dedup.benchmarks;

import io.dedup.benchmarks.jdbc.PurgedDatabase;
import io.dedup.benchmarks.network.Network;
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
        Map<String, Supplier<PurgedDatabase>> databases = Map.of(
                "postgresql", () -> PurgedDatabase.postgres(Network.LOOPBACK),
                "mariadb", () -> PurgedDatabase.mariadb(Network.LOOPBACK));
        List<List<String>> rows = new ArrayList<>();
        for (String store : List.of("postgresql", "mariadb")) {
            Supplier<PurgedDatabase> open = databases.get(store);
            if (open != null && stores.contains(store)) {
                try (PurgedDatabase database = open.get()) {
                    rows.add(row(database));
                }
            }
        }
        report.heading("Databases: bytes of a DONE record without a result, of " + RECORDS + " with random IDs");
        report.table(List.of("store", "table", "indexes beside it", "together"), rows);
    }

    private static List<String> row(PurgedDatabase database) {
        database.fillForever(RECORDS);
        long[] bytes = database.bytes();
        return List.of(database.name(), each(bytes[0]), each(bytes[1]), each(bytes[0] + bytes[1]));
    }

    private static String each(long bytes) {
        return String.format(Locale.ROOT, "%d", bytes / RECORDS);
    }
}
