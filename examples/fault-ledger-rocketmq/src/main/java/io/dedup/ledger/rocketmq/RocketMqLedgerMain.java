package io.dedup.ledger.rocketmq;

import io.dedup.ledger.report.HtmlReport;
import io.dedup.ledger.report.JsonReport;
import io.dedup.ledger.report.TextReport;
import io.dedup.ledger.rocketmq.plan.Settings;
import io.dedup.ledger.tally.RowResult;
import io.dedup.testservers.ParentWatch;
import java.nio.file.Files;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Measures, prints and writes the ledger; continues a run that was stopped. */
public final class RocketMqLedgerMain {
    private static final Logger log = LoggerFactory.getLogger(RocketMqLedgerMain.class);

    private RocketMqLedgerMain() {}

    /**
     * Exits with 1 when a promise of the framework was broken, and with 2 when it cannot read its arguments.
     *
     * @param args of {@link Settings}
     */
    public static void main(String[] args) throws Exception {
        ParentWatch.start();
        int status = 1;
        try {
            status = measure(Settings.of(args)) ? 0 : 1;
        } catch (ParameterException e) {
            System.err.println(e.getMessage());
            e.getCommandLine().usage(System.err);
            status = CommandLine.ExitCode.USAGE;
        } catch (Exception e) {
            log.error("cannot measure", e);
        }
        System.exit(status); // the servers' threads would keep the JVM alive
    }

    /** Returns whether all promises were kept. */
    private static boolean measure(Settings settings) throws Exception {
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
                System.out.println("BROKEN: " + result.row().title() + ": " + broken + "; again with\n  "
                        + settings.again(result.row().id()));
                kept = false;
            }
        }
        return kept;
    }
}
