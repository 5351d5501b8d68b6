package io.dedup.benchmarks;

import io.dedup.benchmarks.shared.SharedCallsRun;
import io.dedup.testservers.ParentWatch;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** The command: measures what it is asked to, prints the tables, and writes them to a file. */
public final class BenchmarkMain {
    private BenchmarkMain() {}

    /**
     * Runs it; exits with 2 when it cannot read its arguments.
     *
     * @param arguments those of {@link Options}
     */
    public static void main(String... arguments) throws Exception {
        ParentWatch.start();
        try {
            measure(Options.parse(arguments));
        } catch (ParameterException e) {
            System.err.println(e.getMessage());
            e.getCommandLine().usage(System.err);
            System.exit(CommandLine.ExitCode.USAGE);
        }
    }

    private static void measure(Options options) throws Exception {
        long from = System.nanoTime();
        Report report = new Report(System.out);
        Targets targets = new Targets();
        machine(report);
        if (options.wants("stores")) {
            new StoresSection(report, targets).run(options.plainStores(), options.networks(), options.run());
        }
        if (options.wants("memory")) {
            new MemorySection(report, targets).run();
        }
        if (options.wants("latency")) {
            new LatencySection(report).run(options.networks(), options.maxIds());
        }
        if (options.wants("transactions")) {
            new TransactionsSection(report, targets).run(options.stores(), options.networks(), options.run());
        }
        if (options.wants("purge")) {
            new PurgeSection(report, targets)
                    .run(
                            options.stores(),
                            options.networks(),
                            options.purged(),
                            options.claimsPerSecond(),
                            options.purgeBatch(),
                            options.purgeTurns());
        }
        if (options.wants("disk")) {
            new DiskSection(report).run(options.stores(), options.maxIds());
        }
        if (options.wants("listeners")) {
            new ListenersSection(report, targets, options.run().rounds())
                    .run(options.stores(), options.networks(), options.records());
        }
        if (options.wants("steady")) {
            new SteadySection(report, options.steady(report::progress), options.maxIds())
                    .run(options.stores(), options.networks());
        }
        if (options.wants("failover")) {
            new FailoverSection(report).run(options.stores(), options.run().rounds(), options.claimsPerSecond());
        }
        if (options.wants("import")) {
            new ImportSection(report).run(options.stores(), options.maxIds());
        }
        if (options.wants("packed")) {
            new PackedSection(report).run(options.maxIds(), options.claimsPerSecond());
        }
        if (options.wants("cold")) {
            new ColdSection(report, options.run().rounds()).run(options.records());
        }
        if (options.wants("idle")) {
            new IdleSection(report, options.run(), options.idleListeners()).run(options.plainStores());
        }
        if (options.wants("steps")) {
            new StepsSection(report).run(options.networks(), options.records());
        }
        if (options.wants("explained")) {
            new ExplainedSection(report, options.run().rounds())
                    .run(options.stores(), options.networks(), options.records());
        }
        if (options.wants("shared")) {
            List<List<String>> rows =
                    new SharedCallsRun(options.run(), report::progress).rows(options.stores(), options.networks());
            report.heading("Threads that share calls of the store");
            report.table(SharedCallsRun.HEADER, rows);
        }
        targets.print(report);
        Duration took = Duration.ofNanos(System.nanoTime() - from);
        report.line("Load average " + load() + " at the end.");
        report.line("Took " + took.toMinutes() + " min " + took.toSecondsPart() + " s.");
        System.out.println(report);
        report.writeTo(options.file());
    }

    private static void machine(Report report) {
        report.line(String.format(
                Locale.ROOT,
                "%d cores, %s, Java %s (%s), heap %d MiB; load average %s at the start.",
                Runtime.getRuntime().availableProcessors(),
                System.getProperty("os.arch"),
                System.getProperty("java.version"),
                System.getProperty("java.vm.vendor"),
                Runtime.getRuntime().maxMemory() >> 20,
                load()));
    }

    /** Above 0.5 at the start, something else runs on this machine, and times are worth little. */
    static String load() {
        return String.format(
                Locale.ROOT,
                "%.1f",
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }
}
