package io.dedup.ledger;

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

/** Measures rows that haven't been measured yet, some at once. */
final class Measurement {
    private final Settings settings;
    private final LedgerFile file;

    Measurement(Settings settings) {
        this.settings = settings;
        this.file = new LedgerFile(settings.directory().resolve("ledger.csv"), Row::of);
    }

    /** Of all rows asked for, in their order. */
    List<RowResult> results() throws IOException, InterruptedException, ExecutionException {
        List<Row> missing = new ArrayList<>(settings.rows());
        measured().forEach(result -> missing.remove(result.row()));
        for (int i = 0; i < missing.size(); i += settings.together()) {
            List<Row> next = missing.subList(i, Math.min(missing.size(), i + settings.together()));
            try (Servers servers = new Servers(next)) {
                file.append(new Run(servers, next, settings).results());
            }
        }
        return measured();
    }

    private List<RowResult> measured() throws IOException {
        List<RowResult> all = file.results(settings.size());
        return settings.rows().stream()
                .flatMap(row ->
                        all.stream().filter(result -> result.row() == row).limit(1))
                .toList();
    }
}
