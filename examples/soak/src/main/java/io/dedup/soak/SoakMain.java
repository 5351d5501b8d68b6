package io.dedup.soak;

import io.dedup.soak.measure.Growth;
import io.dedup.soak.measure.Plot;
import io.dedup.soak.run.Run;
import io.dedup.testservers.ParentWatch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Runs the soak, prints what has grown and what happened to the messages, and writes a plot. */
public final class SoakMain {
    private SoakMain() {}

    /** Exits with 1 when something has grown, or a message was lost or took effect twice, and with 2 when it cannot read its arguments. */
    public static void main(String[] args) throws Exception {
        ParentWatch.start();
        int status;
        try {
            status = soak(Settings.of(args)) ? 0 : 1;
        } catch (ParameterException e) {
            System.err.println(e.getMessage());
            e.getCommandLine().usage(System.err);
            status = CommandLine.ExitCode.USAGE;
        }
        System.exit(status); // the servers' threads would keep the JVM alive
    }

    private static boolean soak(Settings settings) throws Exception {
        Run.Result result = new Run(
                        settings.length(), settings.betweenSamples(), settings.seed, settings.leak, settings.directory)
                .result();
        List<Growth> growths = Growth.of(result.samples());
        System.out.printf("%-46s %10s %10s %10s%n", "median of", "2nd sixth", "last sixth", "allowed");
        for (Growth growth : growths) {
            System.out.printf(
                    "%-46s %10.1f %10.1f %+10.0f %s%s%n",
                    growth.measure().title(),
                    growth.before(),
                    growth.after(),
                    growth.measure().allowance(),
                    growth.measure().unit(),
                    growth.isTooMuch() ? " GROWN" : "");
        }
        System.out.printf(
                "%,d messages and %,d copies of them in %s; lost %d, doubled %d; connections broken %d times%n",
                result.sent(), result.copies(), settings.length(), result.lost(), result.doubled(), result.cuts());
        Path plot = settings.plot;
        if (plot != null) {
            Files.createDirectories(plot.toAbsolutePath().getParent());
            String title = String.format(
                    "%,d messages and %,d copies in %d minutes, -Xmx128m",
                    result.sent(), result.copies(), settings.length().toMinutes());
            Files.writeString(plot, Plot.of(result.samples(), title));
        }
        return result.lost() == 0 && result.doubled() == 0 && growths.stream().noneMatch(Growth::isTooMuch);
    }
}
