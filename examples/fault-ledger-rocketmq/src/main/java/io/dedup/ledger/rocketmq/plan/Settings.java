package io.dedup.ledger.rocketmq.plan;

import io.dedup.ledger.plan.RunSize;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

/** The command's settings. */
@Command(name = "rocketmq-ledger", sortOptions = false, showDefaultValues = true)
public final class Settings {
    @Option(
            names = "--rows",
            description = "all, or names separated by commas, such as push-tiered,simple-leased-redis")
    private String rows = "all";

    @Option(names = "--messages", converter = FromOne.class, description = "for each row")
    private int messages = 1000;

    @Option(names = "--faults", converter = FromOne.class, description = "for each row")
    private int faults = 30;

    @Option(names = "--kinds", description = "of faults: all, or names joined by plus signs, such as kill+broker-cut")
    private String kinds = RunSize.ALL;

    @Option(names = "--seed", description = "decides what is sent and broken, where and when")
    private long seed = 1;

    @Option(names = "--together", converter = FromOne.class, description = "how many rows share a pass")
    private int together = 9;

    @Option(names = "--calm-ms", description = "milliseconds between faults")
    private long calmMillis = 1000;

    @Option(
            names = "--bound-s",
            converter = FromOne.class,
            description = "seconds without an acknowledgment after which what is left is stuck")
    private int boundSeconds = 180;

    @Option(names = "--directory", description = "of the results")
    private Path directory = Path.of("target", "rocketmq-ledger");

    private Settings() {}

    /**
     * From arguments such as {@code --rows=push-tiered --messages=1000}.
     *
     * @throws ParameterException that names what is wrong
     */
    public static Settings of(String... arguments) {
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
        if (messages < faults) {
            throw new IllegalArgumentException("messages=" + messages + ": at least one for each of faults=" + faults);
        }
        List<FaultPlan.Fault> unusedPlan = FaultPlan.of(size()); // refuses what isn't a kind
        List<RocketRow> unusedRows = rows(); // refuses what isn't a row
    }

    public List<RocketRow> rows() {
        return rows.equals("all")
                ? RocketRow.all()
                : Arrays.stream(rows.split(",", -1))
                        .map(RocketRow::of)
                        .distinct()
                        .toList();
    }

    public RunSize size() {
        return new RunSize(messages, faults, kinds, seed);
    }

    /** How many rows share one pass, and its consumer processes. */
    public int together() {
        return together;
    }

    /** Between faults. */
    public Duration calm() {
        return Duration.ofMillis(calmMillis);
    }

    /** How long to wait for the next acknowledgment when everything was sent. */
    public Duration bound() {
        return Duration.ofSeconds(boundSeconds);
    }

    /** The command that measures a row again. */
    public String again(String row) {
        return "mvn -B -q -Procketmq-ledger -DskipTests -pl examples/fault-ledger-rocketmq -am verify -Dledger.rows="
                + row
                + " -Dledger.messages=" + messages + " -Dledger.faults=" + faults + " -Dledger.kinds=" + kinds
                + " -Dledger.seed=" + seed + " -Dledger.directory=target/again";
    }

    /** Of results. */
    public Path directory() {
        return directory;
    }

    /** A number from 1. */
    private static final class FromOne implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            if (!text.matches("[1-9]\\d{0,8}")) {
                throw new TypeConversionException("'" + text + "' is not a number from 1 to 999999999");
            }
            return Integer.valueOf(text);
        }
    }
}
