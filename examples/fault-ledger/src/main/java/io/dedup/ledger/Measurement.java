package io.dedup.ledger;

import io.dedup.ledger.plan.Pass;
import io.dedup.ledger.plan.Row;
import io.dedup.ledger.plan.Settings;
import io.dedup.ledger.report.LedgerFile;
import io.dedup.ledger.run.Run;
import io.dedup.ledger.run.Servers;
import io.dedup.ledger.tally.RowResult;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;

/** Measures rows of one size that haven't been measured yet, some at once. */
final class Measurement {
    private final Settings settings;
    private final LedgerFile file;

    Measurement(Settings settings) {
        this.settings = settings;
        this.file = new LedgerFile(settings.directory().resolve("ledger.csv"), Row::of);
    }

    /** Of all rows asked for, in their order. */
    List<RowResult> results() throws IOException, InterruptedException, ExecutionException {
        Pass whole = Pass.plain(settings.size(), settings.rows());
        List<Row> missing = missing(whole);
        for (int i = 0; i < missing.size(); i += settings.together()) {
            List<Row> next = missing.subList(i, Math.min(missing.size(), i + settings.together()));
            try (Servers servers = new Servers(next)) {
                measure(servers, Pass.plain(settings.size(), next));
            }
        }
        return measured(whole);
    }

    /** What of a pass isn't in the file. */
    List<Row> missing(Pass pass) throws IOException {
        List<Row> missing = new ArrayList<>(settings.rows());
        measured(pass).forEach(result -> missing.remove(result.row()));
        return missing;
    }

    void measure(Servers servers, Pass pass) throws IOException, InterruptedException, ExecutionException {
        file.append(new Run(servers, pass, settings).results());
    }

    /** What of a pass is in the file, in the order that was asked for. */
    List<RowResult> measured(Pass pass) throws IOException {
        List<RowResult> all = file.results(pass.size());
        return settings.rows().stream()
                .flatMap(row -> all.stream()
                        .filter(result -> result.row() == row
                                && result.combination().equals(pass.of(row).text()))
                        .limit(1))
                .toList();
    }
}
