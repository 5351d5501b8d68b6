package io.dedup.examples.live;

import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import org.springframework.util.FileSystemUtils;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The Prometheus of this machine, which scrapes one address each second. */
final class Prometheus implements AutoCloseable {
    private final HttpClient http = HttpClient.newHttpClient();
    private final Path directory;
    private final String url;
    private final Process process;

    Prometheus(URI scraped) throws IOException {
        directory = Files.createTempDirectory("prometheus");
        Path configuration = directory.resolve("prometheus.yml");
        Files.writeString(configuration, """
                global: { scrape_interval: 1s, scrape_timeout: 1s }
                scrape_configs:
                  - { job_name: live, metrics_path: %s, static_configs: [ { targets: [ "%s" ] } ] }
                """.formatted(scraped.getPath(), scraped.getAuthority()));
        String address = "127.0.0.1:" + SharedDemo.freePort();
        url = "http://" + address + "/";
        process = new ProcessBuilder(
                        find().orElseThrow().toString(),
                        "--config.file=" + configuration,
                        "--storage.tsdb.path=" + directory.resolve("data"),
                        "--web.listen-address=" + address)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("output.txt").toFile())
                .start();
        await().atMost(SharedDemo.LIMIT)
                .ignoreExceptions()
                .until(() -> get("-/ready").contains("Ready"));
    }

    static Optional<Path> find() {
        return Arrays.stream(
                        Objects.requireNonNullElse(System.getenv("PATH"), "").split(File.pathSeparator))
                .map(folder -> Path.of(folder, "prometheus"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** The series of an expression: each with its labels, and a value for each second of the time. */
    JsonNode query(String expression, Instant from, Instant to) throws IOException, InterruptedException {
        JsonNode answer = JsonMapper.shared()
                .readTree(get("api/v1/query_range?step=1&start=" + from.getEpochSecond() + "&end=" + to.getEpochSecond()
                        + "&query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8)));
        if (!answer.at("/status").asString().equals("success")) {
            throw new IOException(expression + ": " + answer);
        }
        return answer.at("/data/result");
    }

    private String get(String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + path))
                .timeout(Duration.ofSeconds(30))
                .build();
        return http.send(request, BodyHandlers.ofString()).body();
    }

    @Override
    public void close() throws Exception {
        process.destroy();
        process.waitFor();
        FileSystemUtils.deleteRecursively(directory);
    }
}
