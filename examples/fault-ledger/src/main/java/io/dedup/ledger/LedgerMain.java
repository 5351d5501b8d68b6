package io.dedup.ledger;

import io.dedup.ledger.plan.Settings;
import io.dedup.ledger.report.HtmlReport;
import io.dedup.ledger.report.JsonReport;
import io.dedup.ledger.report.TextReport;
import io.dedup.ledger.tally.RowResult;
import io.dedup.testservers.ParentWatch;
import java.nio.file.Files;
import java.util.List;

/** Measures, prints and writes the ledger; goes on where it was stopped. */
public final class LedgerMain {
    private LedgerMain() {}

    /**
     * Exits with 1 when a promise of the framework was broken.
     *
     * @param args {@code rows=all messages=1000 faults=30 kinds=all seed=1 together=7 calm-ms=1000 bound-s=60
     *     directory=target/ledger}, each optional
     */
    public static void main(String[] args) throws Exception {
        ParentWatch.start();
        Settings settings = Settings.of(args);
        Files.createDirectories(settings.directory());
        List<RowResult> results = new Measurement(settings).results();
        System.out.print(TextReport.of(results));
        String name =
                "ledger-" + settings.size().messages() + "-" + settings.size().faults() + "-"
                        + settings.size().kinds() + "-" + settings.size().seed();
        Files.writeString(settings.directory().resolve(name + ".json"), JsonReport.of(results));
        Files.writeString(settings.directory().resolve(name + ".html"), HtmlReport.of(results));
        boolean kept = true;
        for (RowResult result : results) {
            for (String broken : result.brokenPromises()) {
                System.out.println("BROKEN: " + result.row().title() + ": " + broken);
                kept = false;
            }
        }
        System.exit(kept ? 0 : 1); // the servers' threads would hold it
    }
}
