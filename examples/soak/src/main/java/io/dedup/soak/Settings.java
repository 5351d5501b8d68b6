package io.dedup.soak;

import io.dedup.soak.plan.Leak;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** How long, and where the results go. */
@Command(name = "soak", sortOptions = false, showDefaultValues = true)
final class Settings {
    @Option(names = "--seconds", description = "how long messages are sent")
    private int seconds = 3600;

    @Option(names = "--sample-ms", description = "milliseconds between samples")
    private int sampleMillis = 10_000;

    @Option(names = "--seed", description = "decides what is sent where, and when something is disturbed")
    long seed = 1;

    @Option(names = "--leak", description = "what is leaked on purpose: ${COMPLETION-CANDIDATES}")
    Leak leak = Leak.NONE;

    @Option(names = "--directory", description = "of samples.csv")
    Path directory = Path.of("target", "soak");

    @Option(names = "--plot", description = "the SVG file that is written; none unless set")
    @Nullable
    Path plot;

    private Settings() {}

    static Settings of(String... arguments) {
        Settings settings = new Settings();
        new CommandLine(settings).parseArgs(arguments);
        return settings;
    }

    Duration length() {
        return Duration.ofSeconds(seconds);
    }

    Duration betweenSamples() {
        return Duration.ofMillis(sampleMillis);
    }
}
