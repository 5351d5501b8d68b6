package io.dedup.ledger.applications;

import io.dedup.ledger.applications.plan.ApplicationRow;
import io.dedup.ledger.applications.plan.Settings;
import io.dedup.ledger.applications.run.ApplicationRun;
import io.dedup.ledger.plan.RunSize;
import io.dedup.ledger.report.LedgerFile;
import io.dedup.ledger.report.TextReport;
import io.dedup.ledger.tally.RowResult;
import io.dedup.testservers.ParentWatch;
import io.dedup.testservers.sql.PostgresServer;
import io.dedup.testservers.sql.PostgresServers;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Measures, prints and writes the applications' ledger; continues a run that was stopped. */
public final class ApplicationLedgerMain {
    private static final Logger log = LoggerFactory.getLogger(ApplicationLedgerMain.class);

    private ApplicationLedgerMain() {}

    /**
     * Exits with 1 when a promise of the framework was broken, and with 2 when it cannot read its arguments.
     *
     * @param args of {@link Settings}
     */
    public static void main(String[] args) {
        ParentWatch.start();
        int status = 1;
        try {
            List<RowResult> results = measure(Settings.of(args));
            System.out.print(TextReport.of(results));
            status = 0;
            for (RowResult result : results) {
                for (String broken : result.brokenPromises()) {
                    System.out.println("BROKEN with seed " + result.size().seed() + ": "
                            + result.row().title() + ": " + broken);
                    status = 1;
                }
            }
        } catch (ParameterException e) {
            System.err.println(e.getMessage());
            e.getCommandLine().usage(System.err);
            status = CommandLine.ExitCode.USAGE;
        } catch (Exception e) {
            log.error("cannot measure", e);
        }
        System.exit(status); // the servers' threads would keep the JVM alive
    }

    /** Of all rows and seeds; those of them that the file has aren't measured again. */
    static List<RowResult> measure(Settings settings) throws Exception {
        Files.createDirectories(settings.directory());
        LedgerFile file = new LedgerFile(settings.directory().resolve("ledger.csv"), ApplicationRow::of);
        List<RowResult> results = new ArrayList<>();
        try (PostgresServer postgres = PostgresServers.builder().start()) {
            for (int pass = 0; pass < settings.seeds(); pass++) {
                for (ApplicationRow row : settings.rows()) {
                    RunSize size = row.size(settings.size(pass));
                    List<RowResult> measured = file.results(size).stream()
                            .filter(result -> result.row() == row)
                            .toList();
                    if (measured.isEmpty()) {
                        measured = List.of(new ApplicationRun(
                                        postgres,
                                        row,
                                        size,
                                        settings.bound(),
                                        settings.directory().resolve("logs"))
                                .result());
                        file.append(measured);
                    }
                    results.add(measured.get(0));
                }
            }
        }
        return results;
    }
}
