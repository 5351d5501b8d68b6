package io.dedup.examples.live;

import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.springframework.util.FileSystemUtils;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A page in a headless Chromium or Chrome of this machine, driven over its DevTools protocol, which needs no driver. */
final class Browser implements AutoCloseable {
    private static final List<String> NAMES =
            List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome");
    private static final int MARGIN = 10;
    private static final JsonMapper JSON = JsonMapper.shared();

    private final HttpClient http = HttpClient.newHttpClient();
    private final Map<Integer, CompletableFuture<JsonNode>> calls = new ConcurrentHashMap<>();
    private final AtomicInteger ids = new AtomicInteger();
    private final Path profile;
    private final Process process;
    private final WebSocket page;

    Browser(String url) throws Exception {
        profile = Files.createTempDirectory("browser");
        process = new ProcessBuilder(
                        find().orElseThrow().toString(),
                        "--headless",
                        "--no-sandbox", // which cannot be had as root or in containers; the page is our own
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--no-first-run",
                        "--user-data-dir=" + profile,
                        "--remote-debugging-port=0",
                        "about:blank")
                .redirectErrorStream(true)
                .redirectOutput(profile.resolve("output.txt").toFile())
                .start();
        try {
            page = http.newWebSocketBuilder()
                    .buildAsync(open(url), new Answers())
                    .get(SharedDemo.LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (Exception | Error e) {
            end();
            throw e;
        }
    }

    static Optional<Path> find() {
        return Arrays.stream(
                        Objects.requireNonNullElse(System.getenv("PATH"), "").split(File.pathSeparator))
                .flatMap(folder -> NAMES.stream().map(name -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** For a JUnit condition. */
    static boolean isInstalled() {
        return find().isPresent();
    }

    /** The value of an expression in the page, as text. */
    String evaluate(String expression) throws Exception {
        JsonNode result =
                call("Runtime.evaluate", Map.of("expression", "String(" + expression + ")", "returnByValue", true));
        if (result.has("exceptionDetails")) {
            throw new IllegalStateException(expression + ": " + result);
        }
        return result.at("/result/value").asString();
    }

    String text(String selector) throws Exception {
        return evaluate("document.querySelector(" + JSON.writeValueAsString(selector) + ")?.textContent");
    }

    void type(String selector, String text) throws Exception {
        evaluate("document.querySelector(" + JSON.writeValueAsString(selector) + ").value = "
                + JSON.writeValueAsString(text));
    }

    void click(String selector) throws Exception {
        evaluate("document.querySelector(" + JSON.writeValueAsString(selector) + ").click()");
    }

    /** Gives the page a width in CSS pixels, and the reader's preference for light or dark. */
    void show(int width, int height, String colorScheme) throws Exception {
        call(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
        call("Emulation.setScrollbarsHidden", Map.of("hidden", true));
        call(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", colorScheme))));
    }

    /** The page down to the end of an element, as a PNG file. */
    byte[] picture(int width, String lastElement) throws Exception {
        double end = Double.parseDouble(evaluate("document.querySelector(" + JSON.writeValueAsString(lastElement)
                + ").getBoundingClientRect().bottom + scrollY"));
        Map<String, ?> clip = Map.of("x", 0, "y", 0, "width", width, "height", Math.ceil(end) + MARGIN, "scale", 1);
        return Base64.getDecoder()
                .decode(call(
                                "Page.captureScreenshot",
                                Map.of("format", "png", "clip", clip, "captureBeyondViewport", true))
                        .at("/data")
                        .asString());
    }

    private JsonNode call(String method, Map<String, ?> parameters) throws Exception {
        int id = ids.incrementAndGet();
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        calls.put(id, answer);
        page.sendText(JSON.writeValueAsString(Map.of("id", id, "method", method, "params", parameters)), true)
                .get(SharedDemo.LIMIT.toSeconds(), TimeUnit.SECONDS);
        return answer.get(SharedDemo.LIMIT.toSeconds(), TimeUnit.SECONDS).at("/result");
    }

    private URI open(String url) throws IOException, InterruptedException {
        Path portFile = profile.resolve("DevToolsActivePort");
        await().atMost(SharedDemo.LIMIT).until(() -> {
            if (!process.isAlive()) {
                throw new IllegalStateException(Files.readString(profile.resolve("output.txt")));
            }
            return Files.exists(portFile) && Files.readAllLines(portFile).size() == 2;
        });
        String port = Files.readAllLines(portFile).get(0);
        HttpRequest newPage = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/json/new?" + url))
                .PUT(BodyPublishers.noBody())
                .build();
        String answer = http.send(newPage, BodyHandlers.ofString()).body();
        return URI.create(JSON.readTree(answer).at("/webSocketDebuggerUrl").asString());
    }

    private final class Answers implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                JsonNode answer = JSON.readTree(text.toString());
                text.setLength(0);
                CompletableFuture<JsonNode> call = calls.remove(answer.at("/id").asInt(0));
                if (call != null) {
                    call.complete(answer);
                }
            }
            socket.request(1);
            return null;
        }
    }

    private void end() throws InterruptedException, IOException {
        List<ProcessHandle> children = process.descendants().toList();
        process.destroyForcibly().waitFor();
        children.forEach(ProcessHandle::destroyForcibly);
        await().atMost(SharedDemo.LIMIT).until(() -> children.stream().noneMatch(ProcessHandle::isAlive));
        FileSystemUtils.deleteRecursively(profile);
    }

    @Override
    public void close() throws Exception {
        page.abort();
        end();
    }
}
