package io.dedup.ledger.rocketmq;

import io.dedup.ledger.report.LedgerFile;
import io.dedup.ledger.rocketmq.plan.Circumstances;
import io.dedup.ledger.rocketmq.plan.RocketRow;
import io.dedup.ledger.rocketmq.plan.Settings;
import io.dedup.ledger.rocketmq.run.Run;
import io.dedup.ledger.rocketmq.run.Servers;
import io.dedup.ledger.tally.RowResult;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.rocketmq.client.apis.ClientException;

/** Measures rows that haven't been measured yet, some at once. */
final class Measurement {
    private final Settings settings;
    private final LedgerFile file;

    Measurement(Settings settings) {
        this.settings = settings;
        this.file = new LedgerFile(settings.directory().resolve("ledger.csv"), RocketRow::of);
    }

    /** Of all rows asked for, in their order. */
    List<RowResult> results() throws IOException, InterruptedException, ExecutionException, ClientException {
        List<RocketRow> missing = new ArrayList<>(settings.rows());
        measured().forEach(result -> missing.remove(result.row()));
        for (boolean renewing : List.of(false, true)) {
            List<RocketRow> rows = missing.stream()
                    .filter(row -> Circumstances.of(settings.size().seed(), row).renewing() == renewing)
                    .toList();
            for (int i = 0; i < rows.size(); i += settings.together()) {
                List<RocketRow> next = rows.subList(i, Math.min(rows.size(), i + settings.together()));
                try (Servers servers = new Servers(renewing)) {
                    file.append(new Run(servers, next, settings).results());
                }
            }
        }
        return measured();
    }

    private List<RowResult> measured() throws IOException {
        List<RowResult> all = file.results(settings.size());
        return settings.rows().stream()
                .flatMap(row ->
                        all.stream().filter(result -> result.row().equals(row)).limit(1))
                .toList();
    }
}
