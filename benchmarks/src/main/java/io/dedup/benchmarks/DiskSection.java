package io.dedup.benchmarks;

import io.dedup.benchmarks.jdbc.PurgedDatabase;
import io.dedup.benchmarks.jdbc.TableForm;
import io.dedup.benchmarks.network.Network;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What a record takes on a database's disk, in each form of the table. */
final class DiskSection {
    private final Report report;

    DiskSection(Report report) {
        this.report = report;
    }

    void run(List<String> stores, int records) {
        List<List<String>> rows = new ArrayList<>();
        if (stores.contains("postgresql")) {
            for (TableForm form : TableForm.values()) {
                try (PurgedDatabase database = PurgedDatabase.postgres(Network.LOOPBACK, form)) {
                    rows.add(row(database, form, records));
                }
            }
        }
        if (stores.contains("mariadb")) {
            for (TableForm form : TableForm.values()) {
                if (form.isOfMariaDb()) {
                    try (PurgedDatabase database = PurgedDatabase.mariadb(Network.LOOPBACK, form)) {
                        rows.add(row(database, form, records));
                    }
                }
            }
        }
        report.heading("Databases: bytes of a DONE record, of " + String.format(Locale.ROOT, "%,d", records)
                + " with UUIDs as IDs and a scope of 17 characters");
        report.table(
                List.of("store", "records are", "table", "primary key beside it", "index of the purge", "together"),
                rows);
    }

    private List<String> row(PurgedDatabase database, TableForm form, int records) {
        database.fillDone(records);
        long[] bytes = database.bytes();
        List<String> row = new ArrayList<>(List.of(database.name(), form.label()));
        Arrays.stream(bytes).forEach(each -> row.add(each(each, records)));
        row.add(each(Arrays.stream(bytes).sum(), records));
        report.progress(String.join(" | ", row));
        return row;
    }

    private static String each(long bytes, int records) {
        return String.format(Locale.ROOT, "%d", bytes / records);
    }
}
