package io.dedup.ledger.plan;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

/** The command's settings. */
@Command(name = "ledger", sortOptions = false, showDefaultValues = true)
public final class Settings {
    private static final String DEFAULT = "default";

    @Option(names = "--rows", description = "all, or names separated by commas, such as tiered,unique-row")
    private String rows = "all";

    @Option(
            names = "--combinations",
            converter = FromZero.class,
            description =
                    "0: one pass in plain circumstances; else so many passes of our modes, each with the next seed, in"
                            + " circumstances that the seed draws")
    private int combinations = 0;

    @Option(
            names = "--messages",
            converter = OrDefault.class,
            description = "for each row; unless given, 1000, or 200 in drawn circumstances")
    private @Nullable Integer messages;

    @Option(
            names = "--faults",
            converter = OrDefault.class,
            description = "for each row; unless given, 30, or 12 in drawn circumstances")
    private @Nullable Integer faults;

    @Option(
            names = "--kinds",
            description = "of faults: all, drawn (by the seed), or names joined by plus signs, such as kill+store-cut;"
                    + " unless given, drawn in drawn circumstances, else all")
    private String kinds = DEFAULT;

    @Option(
            names = "--with",
            description =
                    "in drawn circumstances: what every row has that can have it: share-group, or circumstances such"
                            + " as answers-lost, separated by commas; none: all is drawn")
    private String with = "none";

    @Option(names = "--seed", description = "decides what is sent and broken, where and when")
    private long seed = 1;

    @Option(names = "--together", converter = FromOne.class, description = "how many rows share a pass")
    private int together = 7;

    @Option(names = "--calm-ms", description = "milliseconds between faults")
    private long calmMillis = 1000;

    @Option(
            names = "--bound-s",
            converter = FromOne.class,
            description = "seconds without any acknowledgment, when everything was sent, until the rest is stuck")
    private int boundSeconds = 60;

    @Option(names = "--directory", description = "of the results")
    private Path directory = Path.of("target", "ledger");

    private Settings() {}

    /**
     * From arguments such as {@code --rows=leased-redis,none --messages=1000}.
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
        RunSize size = size();
        if (size.messages() < size.faults()) {
            throw new IllegalArgumentException(
                    "messages=" + size.messages() + ": at least one for each of faults=" + size.faults());
        }
        List<FaultPlan.Fault> unusedPlan = FaultPlan.of(size); // refuses what isn't a kind
        List<Row> unusedRows = rows(); // refuses what isn't a row
        Wanted unusedWanted = wanted(); // refuses what isn't a circumstance
    }

    public List<Row> rows() {
        return rows.equals("all")
                ? Arrays.stream(Row.values())
                        .filter(row -> !isDrawn() || (row.isOurs() && row.effects() == 1))
                        .toList()
                : Arrays.stream(rows.split(",", -1)).map(Row::of).distinct().toList();
    }

    /** Whether circumstances are drawn by the seed. */
    public boolean isDrawn() {
        return combinations > 0;
    }

    /** How many passes, in drawn circumstances. */
    public int combinations() {
        return combinations;
    }

    /** {@link #wanted} as it was given. */
    public String with() {
        return with;
    }

    /** What isn't left to the seed, in drawn circumstances. */
    public Wanted wanted() {
        return Wanted.of(with);
    }

    public RunSize size() {
        return size(0);
    }

    /** Of a pass in drawn circumstances, from 0. */
    public RunSize size(int pass) {
        return new RunSize(
                messages != null ? messages : isDrawn() ? 200 : 1000,
                faults != null ? faults : isDrawn() ? 12 : 30,
                kinds.equals(DEFAULT) ? isDrawn() ? RunSize.DRAWN : RunSize.ALL : kinds,
                seed + pass);
    }

    /** How many rows share one pass, and its consumer processes. */
    public int together() {
        return together;
    }

    /** Between faults. */
    public Duration calm() {
        return Duration.ofMillis(calmMillis);
    }

    /** How long to wait for what isn't acknowledged when everything was sent. */
    public Duration bound() {
        return Duration.ofSeconds(boundSeconds);
    }

    /** Of results. */
    public Path directory() {
        return directory;
    }

    /** A number from 0. */
    private static final class FromZero implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            if (!text.matches("\\d{1,9}")) {
                throw new TypeConversionException("'" + text + "' is not a number from 0 to 999999999");
            }
            return Integer.valueOf(text);
        }
    }

    /** A number from 1, or the word for what isn't given. */
    private static final class OrDefault implements ITypeConverter<@Nullable Integer> {
        @Override
        public @Nullable Integer convert(String text) {
            return text.equals(DEFAULT) ? null : new FromOne().convert(text);
        }
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
