package io.dedup.failover;

import io.dedup.failover.count.Count;
import io.dedup.failover.plan.Scenario;
import io.dedup.failover.plan.Size;
import io.dedup.failover.report.MarkdownReport;
import io.dedup.failover.report.ResultFile;
import io.dedup.testservers.ParentWatch;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Runs the scenarios, prints and writes the report; continues a run that was stopped. */
public final class FailoversMain {
    private FailoversMain() {}

    /**
     * Exits with 1 when a promise was broken, and with 2 when it cannot read its arguments.
     *
     * @param args of {@link Settings}
     */
    public static void main(String[] args) throws Exception {
        ParentWatch.start();
        int status;
        try {
            status = run(Settings.of(args)) ? 0 : 1;
        } catch (ParameterException e) {
            System.err.println(e.getMessage());
            e.getCommandLine().usage(System.err);
            status = CommandLine.ExitCode.USAGE;
        }
        System.exit(status); // the servers' threads would keep the JVM alive
    }

    /** Returns whether all promises were kept. */
    private static boolean run(Settings settings) throws Exception {
        Files.createDirectories(settings.directory());
        ResultFile file = new ResultFile(settings.directory().resolve("failovers.csv"));
        Map<String, Count> counts = new LinkedHashMap<>();
        boolean kept = true;
        for (Scenario scenario : settings.scenarios()) {
            for (Size size : settings.passes()) {
                List<Count> known = file.find(scenario.id(), size);
                Count count;
                if (known.isEmpty()) {
                    count = new Pass(scenario, size, settings.bound()).run();
                    file.add(scenario.id(), size, count);
                } else {
                    count = known.get(0);
                }
                for (String broken : count.broken(scenario.promise(), scenario.serverMayLose())) {
                    System.out.printf(
                            "BROKEN: %s: %s; again: --scenarios=%s --failovers=%d --pass=%d --rate=%d --seed=%d%n",
                            scenario.title(),
                            broken,
                            scenario.id(),
                            size.failovers(),
                            size.failovers(),
                            size.rate(),
                            size.seed());
                    kept = false;
                }
                counts.merge(scenario.title(), count, Count::plus);
            }
        }
        String report = MarkdownReport.of(counts);
        System.out.print(report);
        Files.writeString(settings.directory().resolve("failovers.md"), report);
        return kept;
    }
}
