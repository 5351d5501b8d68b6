package io.dedup.failover;

import io.dedup.failover.plan.Scenario;
import io.dedup.failover.plan.Size;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The command's settings. */
@Command(name = "failovers", sortOptions = false, showDefaultValues = true)
final class Settings {
    @Option(
            names = "--scenarios",
            description = "all, or names separated by commas, such as redis-sentinel,kafka-leased")
    private String scenarios = "all";

    @Option(names = "--failovers", description = "of each scenario")
    private int failovers = 20;

    @Option(
            names = "--pass",
            description = "failovers of one pass: servers are new for each, and a run continues after the last one")
    private int pass = 5;

    @Option(names = "--rate", description = "messages a second, copies aside")
    private int rate = 200;

    @Option(names = "--seed", description = "of the first pass; each further one has the next")
    private long seed = 1;

    @Option(names = "--bound-s", description = "seconds to wait for what isn't acknowledged when everything was sent")
    private int boundSeconds = 120;

    @Option(names = "--directory", description = "of the results")
    private Path directory = Path.of("target", "failovers");

    private Settings() {}

    /**
     * From arguments such as {@code --scenarios=redis-sentinel --failovers=5}.
     *
     * @throws ParameterException that names what is wrong
     */
    static Settings of(String... arguments) {
        Settings settings = new Settings();
        CommandLine line = new CommandLine(settings);
        line.parseArgs(arguments);
        try {
            settings.check();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(line, e.getMessage(), e);
        }
        return settings;
    }

    private void check() {
        if (failovers < 1 || pass < 1 || rate < 1 || boundSeconds < 1) {
            throw new IllegalArgumentException("failovers, pass, rate and bound-s must be at least 1");
        }
        List<Scenario> unused = scenarios(); // refuses what isn't a scenario
    }

    List<Scenario> scenarios() {
        return scenarios.equals("all")
                ? Scenarios.all()
                : Arrays.stream(scenarios.split(",", -1))
                        .map(Scenarios::of)
                        .distinct()
                        .toList();
    }

    /** Of all passes. */
    List<Size> passes() {
        return IntStream.range(0, (failovers + pass - 1) / pass)
                .mapToObj(i -> new Size(Math.min(pass, failovers - i * pass), rate, seed + i))
                .toList();
    }

    Duration bound() {
        return Duration.ofSeconds(boundSeconds);
    }

    Path directory() {
        return directory;
    }
}
