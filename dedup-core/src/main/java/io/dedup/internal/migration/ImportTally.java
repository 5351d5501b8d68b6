package io.dedup.internal.migration;

import io.dedup.migration.ImportReport;
import io.dedup.migration.ImportReport.Problem;
import io.dedup.text.Printable;
import java.util.ArrayList;
import java.util.List;

/** Counts what an import has done. Not thread-safe. */
final class ImportTally {
    private long read;
    private long imported;
    private long known;
    private long held;
    private long over;
    private long refused;
    private long withoutResult;
    private final List<Problem> problems = new ArrayList<>();

    long read() {
        return read;
    }

    void add(ImportBatch batch) {
        read += batch.read();
        refused += batch.refused().size();
        withoutResult += batch.withoutResult();
        batch.refused().forEach(this::list);
        for (ImportBatch.Entry entry : batch.entries()) {
            int all = 1 + entry.copies();
            switch (entry.decision()) {
                case IMPORTED -> {
                    imported++;
                    known += entry.copies();
                }
                case KNOWN -> known += all;
                case OVER -> over += all;
                case HELD -> {
                    held += all;
                    list(new Problem(
                            entry.position(),
                            Printable.of(entry.request().key().messageId()) + ": a handler holds a live lease"));
                }
            }
        }
    }

    private void list(Problem problem) {
        if (problems.size() < ImportReport.MAX_PROBLEMS) {
            problems.add(problem);
        }
    }

    ImportReport report() {
        return new ImportReport(read, imported, known, held, over, refused, withoutResult, problems);
    }
}
