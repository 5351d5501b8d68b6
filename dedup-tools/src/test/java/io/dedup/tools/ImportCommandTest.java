package io.dedup.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.DedupScope;
import io.dedup.migration.ImportReport;
import io.dedup.store.StoredRecord;
import io.dedup.store.jdbc.InitializeSchema;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.redis.RedisDedupStore;
import io.dedup.testservers.redis.RedisServers;
import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlDatabase;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command, into PostgreSQL and Redis. */
class ImportCommandTest {
    private static final SqlDatabase DATABASE = PostgresServers.newDatabase();
    private static final String URL = DATABASE.jdbcUrl() + (DATABASE.jdbcUrl().contains("?") ? "&" : "?") + "user="
            + DATABASE.user() + "&password=" + DATABASE.password();
    private static final HikariDataSource POOL = new HikariDataSource();
    private static JdbcDedupStore store;

    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final DedupScope scope = DedupScope.of("billing", "orders-" + UUID.randomUUID());
    private final Instant hourAgo = Instant.now().minus(Duration.ofHours(1)).truncatedTo(ChronoUnit.MILLIS);

    @BeforeAll
    static void open() {
        POOL.setJdbcUrl(URL);
        store = JdbcDedupStore.builder(POOL)
                .initializeSchema(InitializeSchema.ALWAYS)
                .build();
    }

    @AfterAll
    static void close() {
        store.close();
        POOL.close();
        DATABASE.close();
    }

    private int run(String target, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "import", "--target-url", target, "--consumer", "billing", "--topic", scope.topic(), "--window", "7d"));
        arguments.addAll(List.of(more));
        return ToolsMain.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments.toArray(String[]::new));
    }

    private String file(String... lines) throws IOException {
        return Files.writeString(directory.resolve("handled.csv"), String.join("\n", lines))
                .toString();
    }

    private Optional<StoredRecord> find(String id) {
        return store.find(scope.key(id));
    }

    @Test
    @DisplayName(
            "a file into PostgreSQL: quoted IDs, both kinds of time, results; what is refused is listed by its line")
    void csv() throws IOException {
        String file = file(
                "id,at,result",
                "\"a, \"\"b\"\"\nc\"," + hourAgo.toEpochMilli(),
                "d ," + hourAgo + ",b2xk",
                "e,yesterday",
                "," + hourAgo,
                "f",
                "g," + hourAgo + ",not Base64!",
                "h," + hourAgo.minus(Duration.ofDays(8)));

        assertThat(run(URL, "--from", "csv", "--file", file, "--header")).isEqualTo(ImportCommand.INCOMPLETE);

        assertThat(find("a, \"b\"\nc").orElseThrow().completedAt()).isEqualTo(hourAgo);
        assertThat(find("d ").orElseThrow().result()).isEqualTo("old".getBytes(StandardCharsets.UTF_8));
        assertThat(find("g").orElseThrow().expiresAt()).isEqualTo(hourAgo.plus(Duration.ofDays(7)));
        assertThat(find("h")).isEmpty();
        assertThat(out.toString())
                .contains("7 IDs: 3 imported, 0 known, 0 held by running handlers, 1 with their window over, 3 refused")
                .contains("ID 3: \"e\": the completion time is missing or unreadable")
                .contains("ID 4: \"\": the ID is unusable, it is empty")
                .contains("ID 5: \"f\"");
        assertThat(err.toString()).contains("Record 6: the result is not Base64");

        assertThat(run(URL, "--from", "csv", "--file", file, "--header", "--skip", "5"))
                .isZero();
        assertThat(out.toString()).contains("2 IDs: 0 imported, 1 known");
    }

    @Test
    @DisplayName("a query into Redis, with any kind of time")
    void jdbc() throws SQLException {
        String redis = RedisServers.shared().uri();
        try (Connection connection = DATABASE.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE handled (id text, zoned timestamptz, plain timestamp, millis bigint)");
            statement.execute("INSERT INTO handled SELECT 'id-' || n, now() - interval '1 hour',"
                    + " (now() AT TIME ZONE 'UTC') - interval '1 hour', (extract(epoch FROM now()) * 1000)::bigint - 3600000"
                    + " FROM generate_series(1, 700) n");
        }
        String[] source = {"--from", "jdbc", "--source-url", URL, "--query"};

        assertThat(run(redis, with(source, "SELECT id, zoned FROM handled")))
                .as(err.toString())
                .isZero();
        assertThat(out.toString()).contains("700 IDs: 700 imported");
        assertThat(run(redis, with(source, "SELECT id, plain FROM handled"))).isEqualTo(ImportCommand.STOPPED);
        assertThat(err.toString())
                .contains("set --zone")
                .contains("Repeat the command")
                .doesNotContain("--skip");
        assertThat(run(redis, with(source, "SELECT id, plain FROM handled", "--zone", "UTC")))
                .isZero();
        assertThat(run(redis, with(source, "SELECT 'm' || id, millis, NULL::bytea FROM handled")))
                .isZero();
        assertThat(run(redis, with(source, "SELECT id FROM handled"))).isEqualTo(ImportCommand.STOPPED);

        try (RedisDedupStore found = RedisDedupStore.builder()
                .commandTimeout(Duration.ofSeconds(20))
                .uri(redis)
                .build()) {
            Instant time = found.find(scope.key("id-700")).orElseThrow().completedAt();
            assertThat(time).isBetween(hourAgo.minusSeconds(60), hourAgo.plusSeconds(120));
            assertThat(found.find(scope.key("mid-1"))).isPresent();
        }
    }

    private static String[] with(String[] source, String... more) {
        List<String> all = new ArrayList<>(List.of(source));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    @Test
    @DisplayName("text that is not UTF-8 stops the import and says where to continue; nothing is replaced")
    void damagedFile() throws IOException {
        Path file = directory.resolve("damaged.csv");
        Files.write(file, ("a," + hourAgo + "\n").repeat(20_000).getBytes(StandardCharsets.UTF_8));
        Files.write(file, new byte[] {'b', (byte) 0xff, '\n'}, StandardOpenOption.APPEND);

        assertThat(run(URL, "--from", "csv", "--file", file.toString())).isEqualTo(ImportCommand.STOPPED);

        assertThat(err.toString()).contains("Continue with --skip ");
        assertThat(find("a")).isPresent();
    }

    @Test
    @DisplayName("wrong options and a store that is not there are said in one line")
    void wrongUsage() throws IOException {
        assertThat(run(URL, "--from", "csv")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains("--from csv needs --file");
        assertThat(run(URL, "--from", "csv", "--file", "nowhere.csv")).isEqualTo(ImportCommand.STOPPED);
        assertThat(run(URL, "--from", "csv", "--file", file("a," + hourAgo), "--table", "missing"))
                .isEqualTo(ImportCommand.STOPPED);
        assertThat(err.toString()).contains("missing").doesNotContain("\tat ");
        assertThat(run(URL, "--from", "jdbc", "--source-url", URL, "--query", "SELECT 1", "--skip", "5"))
                .as("a database may begin with other rows next time")
                .isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains("--skip is for --from csv");
    }

    @Test
    @DisplayName("the bar shows the share, the count and the rate")
    void progress() {
        ProgressLine line = new ProgressLine(new PrintWriter(out), () -> 0.5, true);
        line.accept(new ImportReport(1_500, 1_500, 0, 0, 0, 0, 0, List.of()));
        assertThat(line.line(Duration.ofSeconds(1).toNanos()))
                .isEqualTo("[###############...............]  50 %  1,500 IDs, 1,500/s");
    }
}
