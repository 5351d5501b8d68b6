package io.dedup.benchmarks;

import io.dedup.benchmarks.latency.SteadyLatency;
import io.dedup.benchmarks.measure.PairedRun;
import io.dedup.benchmarks.network.Network;
import io.dedup.store.jdbc.JdbcDedupStoreBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.Consumer;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** What the command was asked to do. */
@Command(name = "benchmark", sortOptions = false, showDefaultValues = true)
final class Options {
    static final List<String> SECTIONS = List.of(
            "stores",
            "memory",
            "latency",
            "transactions",
            "purge",
            "disk",
            "listeners",
            "steady",
            "failover",
            "packed",
            "import",
            "cold",
            "idle",
            "steps",
            "explained",
            "shared");
    static final List<String> STORES = List.of(
            "memory", "redis-6.2", "redis-7", "postgresql", "postgresql-synced", "mariadb", "mariadb-prepared", "h2");

    /** Ways to run a database that only transactions are measured on. */
    private static final List<String> FOR_TRANSACTIONS = List.of("postgresql-synced");

    private static final Duration STEADY_TURN = Duration.ofSeconds(2);

    private static final String ALL = "all";

    /** The sections that {@link #ALL} doesn't run, since they take as long as the rest together. */
    private static final List<String> ONLY_BY_NAME = SECTIONS.subList(SECTIONS.indexOf("purge"), SECTIONS.size());

    @Parameters(paramLabel = "file", description = "where the tables are written to", arity = "0..1")
    private Path file = Path.of("target", "benchmark.md");

    @Option(names = "--benchmark", split = ",", description = "all, or some of the sections")
    private List<String> sections = List.of(ALL);

    @Option(names = "--stores", split = ",", description = "all, or some of the stores")
    private List<String> stores = List.of(ALL);

    @Option(names = "--rounds", converter = FromOne.class, description = "how many turns each contender gets")
    private int rounds = 15;

    @Option(names = "--turn-ms", converter = FromOne.class, description = "how long a turn lasts")
    private int turnMillis = 300;

    @Option(
            names = "--warm-up-ms",
            converter = FromOne.class,
            description = "how long the run before the first turn lasts")
    private int warmUpMillis = 1000;

    @Option(
            names = "--ids",
            converter = FromOne.class,
            description = "up to how many stored IDs the latency is measured, and how many are packed")
    private int maxIds = 10_000_000;

    @Option(names = "--purged", converter = FromOne.class, description = "how many expired records are purged")
    private int purged = 5_000_000;

    @Option(
            names = "--purge-batch",
            converter = FromOne.class,
            description = "how many records a batch of the purge deletes at most")
    private int purgeBatch = JdbcDedupStoreBuilder.DEFAULT_PURGE_BATCH;

    @Option(
            names = "--purge-turns",
            converter = FromOne.class,
            description = "after how many turns of 5 s, with and without the purge, its measurement ends at the latest")
    private int purgeTurns = 999;

    @Option(
            names = "--claims-per-second",
            converter = FromOne.class,
            description = "at which rate messages come beside the purge, at the steady rate and during a failover")
    private int claimsPerSecond = 200;

    @Option(
            names = "--records",
            converter = FromOne.class,
            description = "how many records are in the topic that listeners read")
    private int records = 100_000;

    @Option(
            names = "--link-us",
            split = ",",
            converter = FromZero.class,
            description =
                    "round trips in microseconds between this process and the stores, 0 for the loopback network alone")
    private List<Integer> linkMicros = List.of(0);

    @Option(
            names = "--idle-listeners",
            converter = FromOne.class,
            description = "how many listeners the application has whose start is measured")
    private int idleListeners = 50;

    private Options() {}

    /**
     * Reads {@code --name=value} arguments.
     *
     * @throws ParameterException names the argument that is wrong
     */
    static Options parse(String... arguments) {
        Options options = new Options();
        CommandLine line = new CommandLine(options);
        line.parseArgs(arguments);
        options.sections = chosen(line, "--benchmark", options.sections, SECTIONS);
        options.stores = chosen(line, "--stores", options.stores, STORES);
        return options;
    }

    private static List<String> chosen(CommandLine line, String name, List<String> given, List<String> known) {
        if (given.equals(List.of(ALL))) {
            return known.stream().filter(each -> !ONLY_BY_NAME.contains(each)).toList();
        }
        if (!known.containsAll(given)) {
            throw new ParameterException(line, name + " must be " + ALL + " or some of " + known + ", but is " + given);
        }
        return given;
    }

    /** Where the tables are written to. */
    Path file() {
        return file;
    }

    boolean wants(String section) {
        return sections.contains(section);
    }

    List<String> stores() {
        return stores;
    }

    /** Those that everything is measured on. */
    List<String> plainStores() {
        return stores.stream()
                .filter(store -> !FOR_TRANSACTIONS.contains(store))
                .toList();
    }

    /** How long each contender is measured. */
    PairedRun run() {
        return new PairedRun(Duration.ofMillis(warmUpMillis), rounds, Duration.ofMillis(turnMillis));
    }

    /** Up to how many stored IDs the latency is measured. */
    int maxIds() {
        return maxIds;
    }

    /** How many expired records are purged. */
    int purged() {
        return purged;
    }

    /** How many records a batch of the purge deletes at most. */
    int purgeBatch() {
        return purgeBatch;
    }

    /** After how many turns the measurement of the purge ends at the latest. */
    int purgeTurns() {
        return purgeTurns;
    }

    /** At which rate messages come where the rate is steady. */
    int claimsPerSecond() {
        return claimsPerSecond;
    }

    /** Latency at a steady rate. */
    SteadyLatency steady(Consumer<String> progress) {
        PairedRun run = run();
        return new SteadyLatency(claimsPerSecond, run.warmUp(), rounds, STEADY_TURN, progress);
    }

    /** How many records are in the topic that listeners read. */
    int records() {
        return records;
    }

    /** How many listeners the application has whose start is measured. */
    int idleListeners() {
        return idleListeners;
    }

    /** How far away the stores are; everything is measured with each. */
    List<Network> networks() {
        return linkMicros.stream()
                .map(micros -> new Network(Duration.of(micros, ChronoUnit.MICROS)))
                .toList();
    }

    /** A number from 0. */
    private static final class FromZero implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            if (!text.matches("\\d{1,7}")) {
                throw new TypeConversionException("'" + text + "' is not a number from 0 to 9999999");
            }
            return Integer.valueOf(text);
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
