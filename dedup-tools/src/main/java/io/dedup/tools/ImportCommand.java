package io.dedup.tools;

import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import io.dedup.DedupStoreException;
import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.migration.ImportReport;
import io.dedup.migration.ImportedId;
import io.dedup.policy.DedupPolicy;
import io.dedup.policy.Window;
import io.dedup.store.DedupStore;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Imports IDs that were handled before. Interrupting or repeating it is harmless. */
@Command(
        name = "import",
        sortOptions = false,
        showDefaultValues = true,
        mixinStandardHelpOptions = true,
        description = {
            "Records messages as done that were handled before dedup was introduced.",
            "Passwords are read from the environment: DEDUP_SOURCE_PASSWORD, DEDUP_TARGET_PASSWORD.",
            "Exit codes: 0 everything is recorded, 1 some IDs were held or refused, 2 wrong usage, 3 stopped."
        })
@SuppressWarnings("NullAway.Init") // set by picocli
final class ImportCommand implements Callable<Integer> {
    static final int INCOMPLETE = 1;
    static final int STOPPED = 3;

    private static final int MAX_RESULT_BYTES = 16 * 1024 * 1024;

    enum From {
        CSV,
        JDBC
    }

    @Option(names = "--from", required = true, description = "csv or jdbc")
    private From from;

    @Option(
            names = "--file",
            description = "csv: the file, in UTF-8: ID, completion time (ISO 8601 with a zone, or milliseconds since"
                    + " 1970), and optionally the result in Base64")
    private @Nullable Path file;

    @Option(names = "--header", description = "csv: the first line has the names of the columns")
    private boolean header;

    @Option(names = "--source-url", description = "jdbc: the database to read from")
    private @Nullable String sourceUrl;

    @Option(names = "--source-user", description = "jdbc: its user")
    private @Nullable String sourceUser;

    @Option(
            names = "--query",
            description = "jdbc: returns the ID, the completion time (a timestamp or milliseconds since 1970), and"
                    + " optionally the result in bytes")
    private @Nullable String query;

    @Option(names = "--zone", description = "jdbc: the time zone of timestamps without one, such as UTC")
    private @Nullable ZoneId zone;

    @Option(names = "--target-url", required = true, description = "the store: jdbc:…, redis://… or rediss://…")
    private String targetUrl;

    @Option(names = "--target-user", description = "the user of a database")
    private @Nullable String targetUser;

    @Option(names = "--table", defaultValue = "dedup_record", description = "the table of a database")
    private String table;

    @Option(names = "--namespace", defaultValue = "dedup", description = "the namespace in Redis")
    private String namespace;

    @Option(
            names = "--attempt-retention",
            defaultValue = "7d",
            converter = WindowConverter.class,
            description = "the attempt retention of the namespace in Redis")
    private Window attemptRetention;

    @Option(names = "--cluster", description = "the URL of Redis is that of a cluster")
    private boolean cluster;

    @Option(names = "--consumer", required = true, description = "the consumer name of the listener, usually its group")
    private String consumer;

    @Option(names = "--topic", required = true, description = "the topic, or the main topic of a retry topic")
    private String topic;

    @Option(
            names = "--window",
            required = true,
            converter = WindowConverter.class,
            description = "the topic's window, from the completion on: 36h, 7d, PT36H or forever")
    private Window window;

    @Option(names = "--skip", defaultValue = "0", description = "csv: how many IDs at the beginning to skip")
    private long skip;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        try (ImportSource source = source();
                TargetStore target = target();
                Deduplicator dedup = deduplicator(target.store())) {
            ProgressLine progress = new ProgressLine(out, source::fraction, isTerminal());
            int status = run(dedup, source, progress, err);
            progress.close();
            print(out, progress.last());
            return status;
        } catch (SourceException
                | DedupStoreException
                | PoolInitializationException
                | IllegalStateException
                | IllegalArgumentException e) {
            err.println(e.getMessage());
            return STOPPED;
        }
    }

    /** From JDK 22 on there is a console without a terminal as well; then the bar goes to the file. */
    @SuppressWarnings("SystemConsoleNull")
    private static boolean isTerminal() {
        return System.console() != null && System.getenv("TERM") != null;
    }

    private int run(Deduplicator dedup, ImportSource source, ProgressLine progress, PrintWriter err) {
        try (Stream<ImportedId> ids = source.ids()) {
            return dedup.importDone(topic, ids.skip(skip), progress).isComplete() ? 0 : INCOMPLETE;
        } catch (DedupStoreException | SourceException e) {
            progress.close();
            err.println(e.getMessage());
            err.println(
                    keepsOrder()
                            ? "Continue with --skip " + (skip + progress.last().read())
                                    + ", or repeat the command without it."
                            : "Repeat the command: it finds what is recorded already.");
            return STOPPED;
        }
    }

    private void print(PrintWriter out, ImportReport report) {
        out.printf(
                Locale.ROOT,
                "%,d IDs: %,d imported, %,d known, %,d held by running handlers, %,d with their window over, %,d refused%n",
                report.read(),
                report.imported(),
                report.known(),
                report.held(),
                report.over(),
                report.refused());
        if (report.withoutResult() > 0) {
            out.printf(Locale.ROOT, "%,d results are too large and were left out%n", report.withoutResult());
        }
        report.problems()
                .forEach(problem -> out.printf(Locale.ROOT, "ID %,d: %s%n", skip + problem.position(), problem.text()));
        if (report.held() + report.refused() > report.problems().size()) {
            out.printf(Locale.ROOT, "(only the first %d problems are listed)%n", ImportReport.MAX_PROBLEMS);
        }
    }

    private Deduplicator deduplicator(DedupStore store) {
        return Deduplicators.builder(store)
                .consumer(consumer)
                .defaults(DedupPolicy.builder()
                        .window(window)
                        .maxResultBytes(MAX_RESULT_BYTES)
                        .build())
                .build();
    }

    private ImportSource source() {
        if (skip < 0) {
            throw new ParameterException(spec.commandLine(), "--skip must not be negative");
        }
        if (skip > 0 && !keepsOrder()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--skip is for --from csv: a database returns rows in another order each time. Repeat the command"
                            + " without it: it finds what is recorded already");
        }
        return switch (from) {
            case CSV ->
                new CsvSource(
                        required("--file", file), header, spec.commandLine().getErr());
            case JDBC ->
                new JdbcSource(required("--source-url", sourceUrl), sourceUser, required("--query", query), zone);
        };
    }

    /** Whether the IDs come in the same order each time, so that those at the beginning are the same ones. */
    private boolean keepsOrder() {
        return from == From.CSV;
    }

    private TargetStore target() {
        return TargetStore.isRedis(targetUrl)
                ? TargetStore.redis(targetUrl, cluster, namespace, attemptRetention.duration())
                : TargetStore.jdbc(targetUrl, targetUser, table);
    }

    private <T> T required(String option, @Nullable T value) {
        if (value == null) {
            throw new ParameterException(
                    spec.commandLine(), "--from " + from.name().toLowerCase(Locale.ROOT) + " needs " + option);
        }
        return value;
    }

    /** Reads a window. */
    static final class WindowConverter implements CommandLine.ITypeConverter<Window> {
        @Override
        public Window convert(String text) {
            return Windows.parse(text);
        }
    }
}
