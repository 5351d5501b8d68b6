package io.dedup.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import io.dedup.DedupKey;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.DedupScope;
import io.dedup.duplicate.DuplicateCause;
import io.dedup.duplicate.DuplicateDetails;
import io.dedup.duplicate.MessagePlace;
import io.dedup.report.DuplicationReports;
import io.dedup.spring.boot.Deduplicated;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** The command, against endpoints of applications, and against servers that answer anything. */
class ReportCommandTest {
    private static final String EMPTY =
            "{\"report\":{\"from\":\"2026-03-01T08:00:00Z\",\"to\":\"2026-03-01T09:00:00Z\","
                    + "\"topics\":[],\"mostCopied\":[],\"unlisted\":0},\"windows\":{},\"windowLengths\":{},\"newer\":[{}]}";

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final List<AutoCloseable> closing = new ArrayList<>();

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Shop {
        @Bean
        Warehouse warehouse() {
            return new Warehouse();
        }
    }

    static class Warehouse {
        @Deduplicated(topic = "orders", consumer = "warehouse", id = "#id", window = "7d")
        public void reserve(String id) {}
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : closing) {
            each.close();
        }
    }

    private int run(String... arguments) {
        List<String> all = new ArrayList<>(List.of("report"));
        all.addAll(List.of(arguments));
        return ToolsMain.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(all.toArray(String[]::new));
    }

    private ConfigurableApplicationContext application() {
        ConfigurableApplicationContext context = new SpringApplication(Shop.class)
                .run(
                        "--server.port=0",
                        "--spring.main.banner-mode=off",
                        "--dedup.store=memory",
                        "--management.endpoints.web.exposure.include=dedup");
        closing.add(context);
        return context;
    }

    private static String endpoint(ConfigurableApplicationContext application) {
        return "http://localhost:" + application.getEnvironment().getProperty("local.server.port") + "/actuator/dedup";
    }

    private static void see(Random random, List<DuplicationReports> processes, DuplicationReports one) {
        Instant now = Instant.now();
        for (int i = 0; i < 3_000; i++) {
            int id = (int) (80 * Math.pow(random.nextDouble(), 3));
            DedupKey key = DedupKey.of(
                    DedupScope.of("warehouse", id % 2 == 0 ? "orders" : "mails"), "i\n\u202e" + "x".repeat(100) + id);
            boolean resent = random.nextBoolean();
            MessagePlace place = new MessagePlace("0", id, id, -1);
            DuplicateDetails details = new DuplicateDetails(
                    resent ? DuplicateCause.RESENT : DuplicateCause.REPLAYED,
                    now.minus(Duration.ofMinutes(random.nextInt(100)).plusMinutes(5)),
                    resent ? null : place,
                    place,
                    "shop\u0000\"" + id,
                    false);
            DuplicationReports process = processes.get(random.nextInt(processes.size()));
            for (DuplicationReports each : List.of(process, one)) {
                each.explained(key, details);
                each.completed(key, Duration.ZERO);
                each.deferred(key, DeferReason.IN_FLIGHT, Duration.ZERO);
            }
        }
    }

    /** The local clock of this process and of those in it moves on between two calls: these differ by it. */
    private static String withoutTimes(String report) {
        return report.substring(report.indexOf('\n') + 1).replaceAll("20\\d\\d-[0-9T:.-]+Z", "<time>");
    }

    @Test
    @DisplayName("two applications' reports are merged to that of one process that has seen everything")
    void merges() {
        ConfigurableApplicationContext here = application();
        ConfigurableApplicationContext there = application();
        DuplicationReports one = new DuplicationReports();
        see(
                new Random(42),
                List.of(here.getBean(DuplicationReports.class), there.getBean(DuplicationReports.class)),
                one);

        assertThat(run(endpoint(here), endpoint(there) + "/")).isZero();

        assertThat(out.toString()).startsWith("2 of 2 processes\nDuplicates from 20");
        String advice = "warehouse:orders: 99.99 % of ";
        String report = out.toString().substring(out.toString().indexOf('\n') + 1);
        assertThat(withoutTimes(report.substring(0, report.indexOf(advice))))
                .isEqualTo(withoutTimes(one.report(24).text()));
        assertThat(report.substring(report.indexOf(advice)))
                .contains("the window is 7d. A window of ")
                .doesNotContain("mails"); // has no window here
        assertThat(err.toString()).isEmpty();
        assertThat(out.toString().chars().filter(c -> c < 0x20 && c != '\n')).isEmpty();
    }

    private String server(HttpHandler handler) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        ExecutorService threads = Executors.newCachedThreadPool();
        server.setExecutor(threads);
        server.createContext("/", handler);
        server.start();
        closing.add(() -> {
            server.stop(0);
            threads.shutdownNow();
        });
        return "http://localhost:" + server.getAddress().getPort() + "/actuator/dedup";
    }

    private String answering(int status, String body) throws IOException {
        return server(exchange -> answer(exchange, status, body));
    }

    private static void answer(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Location", "http://localhost:1/");
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    401 | '' | HTTP status 401. Set DEDUP_REPORT_AUTHORIZATION
                    404 | '' | HTTP status 404. Is the endpoint exposed
                    302 | '' | HTTP status 302. Redirects aren't followed
                    500 | oh | HTTP status 500. It said "oh"
                    400 | {"status":400,"message":"hours must be from 1 to 24"} | hours must be from 1 to 24
                    200 | '' | must be a JSON object
                    200 | <html> | The answer isn't the JSON of a report
                    200 | null | the answer must be a JSON object
                    200 | [] | the answer must be a JSON object
                    200 | {} | report must be a JSON object
                    200 | {}{} | the answer must be one JSON object
                    200 | {"report":{"topics":{}}} | topics must be a list
                    200 | {"report":{"topics":[],"mostCopied":[{"copies":-1}]}} | copies must be a whole number from 0 to
                    200 | {"report":{"topics":[],"mostCopied":[{"copies":1e3}]}} | copies must be a whole number from 0 to
                    200 | {"report":{"topics":[],"mostCopied":[{"copies":99999999999999999999999}]}} | The answer isn't the JSON of a report
                    200 | {"report":{"topics":[],"mostCopied":[{"copies":9000000000000000000}]}} | copies must be a whole number from 0 to
                    200 | {"report":{"topics":[],"mostCopied":[],"from":"now"}} | from must be a time such as
                    200 | {"report":{"topics":[],"mostCopied":[]}} | from must be a time such as
                    200 | {"report":{"topics":[{"duplicates":{},"distances":{"millis":{"-1":1}}}]}} | distances.millis must be numbers as names
                    200 | {"report":{"topics":[{"duplicates":{},"distances":{"millis":{"x":1}}}]}} | distances.millis must have numbers as names
                    200 | {"report":{"topics":[{"duplicates":{"x":"1"},"distances":{"millis":{}}}]}} | duplicates must be a whole number
                    """)
    @DisplayName("an answer that is no report is an error that says why; the reports of others are printed")
    void unusable(int status, String body, String problem) throws IOException {
        String bad = answering(status, body);
        assertThat(run(bad, answering(200, EMPTY))).isEqualTo(ReportCommand.INCOMPLETE);
        assertThat(err.toString())
                .contains(bad + ": ", problem)
                .contains("The report is incomplete: 1 of 2 processes are missing");
        assertThat(out.toString()).startsWith("1 of 2 processes\nDuplicates from 2026-03-01T08:00:00Z");
        assertThat(run(bad)).isEqualTo(ReportCommand.NONE);
    }

    @Test
    @DisplayName("answers are bounded in size, depth and time, and nothing of them reaches the terminal unescaped")
    void bounded() throws Exception {
        String tooLong = server(exchange -> {
            exchange.sendResponseHeaders(200, 0);
            byte[] some = "[0,0,0,0,0,0,0,0,".repeat(1_000).getBytes(StandardCharsets.UTF_8);
            try (var body = exchange.getResponseBody()) {
                while (true) {
                    body.write(some); // until the client has enough
                }
            }
        });
        assertThat(run(tooLong)).isEqualTo(ReportCommand.NONE);
        assertThat(err.toString()).contains("The answer has more than 16777216 bytes");
        assertThat(run(answering(200, "[".repeat(100_000)))).isEqualTo(ReportCommand.NONE);
        assertThat(err.toString()).contains("The answer isn't the JSON of a report");

        CountDownLatch end = new CountDownLatch(1);
        String dripping = server(exchange -> {
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write(' ');
            exchange.getResponseBody().flush();
            try {
                boolean unused = end.await(60, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        assertThat(run("--timeout", "1", dripping)).isEqualTo(ReportCommand.NONE);
        end.countDown();
        assertThat(err.toString()).contains("No answer within 1 s");

        String hostile = EMPTY.replace(
                "\"mostCopied\":[]",
                "\"mostCopied\":[{\"consumer\":\"\\u001b[2J\",\"topic\":\"\\u202et\",\"id\":\"a\\r\\nb\",\"copies\":1,"
                        + "\"atLeast\":5,\"lastCause\":\"" + "x".repeat(9_000)
                        + "\",\"lastAt\":\"2026-03-01T08:00:00Z\"}]");
        assertThat(run(answering(200, hostile))).isZero();
        assertThat(out.toString())
                .contains("1 copies of a\\u000d\\u000ab (\\u001b[2J:\\u202et), the last one xxx")
                .hasSizeLessThan(3_000);
    }

    @Test
    @DisplayName("a process that is gone is missing, and says so")
    void gone() throws IOException {
        int port;
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        assertThat(run("http://localhost:" + port + "/actuator/dedup")).isEqualTo(ReportCommand.NONE);
        assertThat(err.toString()).contains("Nothing accepts a connection");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost:8080",
                "file:///etc/passwd",
                "http://:secret@localhost/actuator/dedup",
                "http://localhost/actuator/dedup?x",
                "--hours=25",
                "--hours=0",
                "--timeout=0",
                "http://twice/"
            })
    @DisplayName("wrong usage is refused before anything is sent, and no password is shown")
    void usage(String argument) {
        assertThat(run(argument, "http://twice/")).isEqualTo(2);
        assertThat(err.toString()).doesNotContain("secret");
        assertThat(out.toString()).isEmpty();
    }
}
