package io.dedup.benchmarks;

import io.dedup.benchmarks.jdbc.Effects.Shape;
import io.dedup.benchmarks.jdbc.TransactionSubject;
import io.dedup.benchmarks.measure.Outcome;
import io.dedup.benchmarks.measure.PairedRun;
import io.dedup.benchmarks.measure.Sample;
import io.dedup.benchmarks.network.Network;
import io.dedup.benchmarks.subject.ContenderNames;
import java.util.ArrayList;
import java.util.List;

/** Business transactions with their record, compared with the same transactions alone. */
final class TransactionsSection {
    private static final double SINGLE_TARGET = 0.70;
    private static final double BATCH_TARGET = 0.45;

    private final List<List<String>> rows = new ArrayList<>();
    private final Report report;
    private final Targets targets;

    TransactionsSection(Report report, Targets targets) {
        this.report = report;
        this.targets = targets;
    }

    void run(List<String> stores, List<Network> networks, PairedRun run) throws InterruptedException {
        for (Network network : networks) {
            run(stores, network, run);
        }
        report.heading("Transactions: what a record in the business transaction costs");
        report.table(
                List.of("database", "transaction", "mode", "form", "ratio", "messages/s", "alone, messages/s"), rows);
    }

    private void run(List<String> stores, Network network, PairedRun run) throws InterruptedException {
        for (String store : stores) {
            if (store.equals("postgresql")) {
                run(TransactionSubject.postgres(network), run);
            } else if (store.equals("postgresql-synced")) {
                run(TransactionSubject.syncedPostgres(network), run);
            } else if (store.equals("mariadb")) {
                run(TransactionSubject.mariadb(network), run);
            } else if (store.equals("mariadb-prepared")) {
                run(TransactionSubject.preparingMariadb(network), run);
            }
        }
    }

    private void run(TransactionSubject opened, PairedRun run) throws InterruptedException {
        try (TransactionSubject subject = opened) {
            Outcome outcome = run.run(
                    subject.contenders(),
                    () -> {
                        subject.reset();
                        System.gc();
                    },
                    line -> report.progress(subject.name() + ", transactions: " + line),
                    () -> 0);
            for (Shape shape : Shape.values()) {
                TransactionSubject.FORMS.forEach(
                        form -> add(subject.name(), outcome, shape, TransactionSubject.BY_HAND, form));
                TransactionSubject.MODES.forEach(mode -> TransactionSubject.FORMS.forEach(
                        form -> add(subject.name(), outcome, shape, mode.toString(), form)));
            }
        }
    }

    private void add(String name, Outcome outcome, Shape shape, String mode, String form) {
        String mine = TransactionSubject.named(shape, mode, form);
        String alone = TransactionSubject.named(shape, TransactionSubject.ALONE, form);
        rows.add(List.of(
                name,
                shape.toString(),
                mode,
                form,
                outcome.ratio(mine, alone).ratio(),
                outcome.of(mine, Sample::messagesPerSecond).whole(),
                outcome.of(alone, Sample::messagesPerSecond).whole()));
        if (mode.equals("TRANSACTIONAL")) {
            targets.atLeast(
                    shape + " with its record / alone, " + form,
                    name,
                    form.equals(ContenderNames.batch(500)) ? BATCH_TARGET : SINGLE_TARGET,
                    outcome.ratio(mine, alone).median());
        }
    }
}
