package io.dedup.examples.live;

import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Draws {@code docs/images/metrics.svg}: lets the demo handle messages for more than a minute, with duplicates and two kills, and charts the
 * answers of Prometheus to the main queries of the Grafana dashboard. Does nothing where there is no Prometheus. The arguments are
 * the dashboard and the file's name.
 */
final class MetricsPicture {
    private static final Duration PACE = Duration.ofMillis(250);
    /** Panels of the dashboard: messages by outcome, duplicates, handler time, in flight. */
    private static final Set<Integer> PANELS = Set.of(1, 2, 3, 6);

    private static final int KILLS = 2;
    private static final Duration LIFE = Duration.ofSeconds(20);
    private static final String RATE_INTERVAL = "5s";

    private MetricsPicture() {}

    public static void main(String[] args) throws Exception {
        if (Prometheus.find().isEmpty()) {
            System.out.println("No picture of the metrics: prometheus is not on the path.");
            return;
        }
        JsonNode dashboard = JsonMapper.shared().readTree(Files.readString(Path.of(args[0])));
        Path file = Path.of(args[1]);
        int port = SharedDemo.freePort();
        try (LiveDemo demo =
                        LiveDemo.start("--server.port=0", "--live.metrics-port=" + port, "--live.mail-takes=150ms");
                Client client = new Client(demo.url());
                Prometheus prometheus =
                        new Prometheus(URI.create("http://127.0.0.1:" + port + "/actuator/prometheus"))) {
            await().atMost(SharedDemo.LIMIT).until(() -> client.consumer().equals("running"));
            Instant from = Instant.now();
            List<Instant> kills = traffic(client);
            Instant to = Instant.now();
            MetricsChart chart = new MetricsChart(from, to, kills);
            for (JsonNode panel : dashboard.at("/panels")) {
                if (PANELS.contains(panel.at("/id").asInt())) {
                    chart.panel(
                            panel.at("/title").asString(),
                            panel.at("/fieldConfig/defaults/unit").asString(),
                            series(panel, prometheus, from, to));
                }
            }
            Files.createDirectories(file.toAbsolutePath().getParent());
            Files.writeString(file, chart.svg());
            System.out.println(
                    "Picture of the metrics: " + file.toAbsolutePath().normalize());
        }
        System.exit(0); // some clients' threads aren't daemons
    }

    /** Sends four orders a second, each third one twice. Kills the consumer whenever it has run for a while. */
    private static List<Instant> traffic(Client client) throws Exception {
        List<Instant> kills = new ArrayList<>();
        Instant runningSince = Instant.now();
        for (int i = 0; ; i++) {
            String id = "order-" + i;
            client.post("orders", Map.of("id", id, "customer", "customer " + i, "cents", 4200));
            if (i % 3 == 0) {
                client.post("orders/resend", Map.of("id", id));
            }
            LockSupport.parkNanos(PACE.toNanos());
            if (!client.consumer().equals("running")) {
                runningSince = Instant.now();
            } else if (runningSince.plus(LIFE).isBefore(Instant.now())) {
                if (kills.size() == KILLS) {
                    return kills;
                }
                client.post("consumer/kill", Map.of());
                runningSince = Instant.now();
                kills.add(runningSince);
                client.post("consumer/start", Map.of());
            }
        }
    }

    private static Map<String, JsonNode> series(JsonNode panel, Prometheus prometheus, Instant from, Instant to)
            throws Exception {
        Map<String, JsonNode> series = new TreeMap<>();
        for (JsonNode target : panel.at("/targets")) {
            String expression =
                    target.at("/expr").asString().replace("$consumer", ".*").replace("$__rate_interval", RATE_INTERVAL);
            for (JsonNode each : prometheus.query(expression, from, to)) {
                String legend = target.at("/legendFormat").asString();
                for (Map.Entry<String, JsonNode> label : each.at("/metric").properties()) {
                    legend = legend.replace(
                            "{{" + label.getKey() + "}}", label.getValue().asString());
                }
                series.put(legend, each.at("/values"));
            }
        }
        return series;
    }
}
