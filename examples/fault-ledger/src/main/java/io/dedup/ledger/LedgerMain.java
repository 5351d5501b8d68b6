package io.dedup.ledger;

import io.dedup.ledger.plan.Settings;
import io.dedup.ledger.report.DimensionReport;
import io.dedup.ledger.report.HtmlReport;
import io.dedup.ledger.report.JsonReport;
import io.dedup.ledger.report.SvgReport;
import io.dedup.ledger.report.TextReport;
import io.dedup.ledger.tally.RowResult;
import io.dedup.testservers.ParentWatch;
import java.nio.file.Files;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Measures, prints and writes the ledger; continues a run that was stopped. */
public final class LedgerMain {
    private LedgerMain() {}

    /**
     * Exits with 1 when a promise of the framework was broken, and with 2 when it cannot read its arguments.
     *
     * @param args of {@link Settings}
     */
    public static void main(String[] args) throws Exception {
        ParentWatch.start();
        int status;
        try {
            status = measure(Settings.of(args)) ? 0 : 1;
        } catch (ParameterException e) {
            System.err.println(e.getMessage());
            e.getCommandLine().usage(System.err);
            status = CommandLine.ExitCode.USAGE;
        }
        System.exit(status); // the servers' threads would keep the JVM alive
    }

    /** Returns whether all promises were kept. */
    private static boolean measure(Settings settings) throws Exception {
        Files.createDirectories(settings.directory());
        List<RowResult> results =
                settings.isDrawn() ? new CombinationRuns(settings).results() : new Measurement(settings).results();
        System.out.print(TextReport.of(results));
        if (settings.isDrawn()) {
            System.out.print(DimensionReport.of(results));
        }
        String name =
                "ledger-" + settings.size().messages() + "-" + settings.size().faults() + "-"
                        + settings.size().kinds() + "-" + settings.size().seed()
                        + (settings.isDrawn() ? "-" + settings.combinations() + "-combinations" : "");
        Files.writeString(settings.directory().resolve(name + ".json"), JsonReport.of(results));
        Files.writeString(settings.directory().resolve(name + ".html"), HtmlReport.of(results));
        if (!settings.isDrawn()) {
            Files.writeString(settings.directory().resolve(name + ".svg"), SvgReport.of(results));
        }
        boolean kept = true;
        for (RowResult result : results) {
            for (String broken : result.brokenPromises()) {
                System.out.println("BROKEN: " + result.row().title() + ": " + broken + " (" + result.combination()
                        + ", seed " + result.size().seed() + ")");
                kept = false;
            }
        }
        return kept;
    }
}
