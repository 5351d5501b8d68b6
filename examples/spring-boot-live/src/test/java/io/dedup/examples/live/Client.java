package io.dedup.examples.live;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Does over HTTP what the page does. */
final class Client implements AutoCloseable {
    private static final JsonMapper JSON = JsonMapper.shared();

    private final HttpClient http = HttpClient.newHttpClient();
    private final List<JsonNode> outcomes = new CopyOnWriteArrayList<>();
    private final String url;
    private final Stream<String> stream;
    private volatile JsonNode state = JSON.createObjectNode();

    Client() throws IOException, InterruptedException {
        this(SharedDemo.url());
    }

    Client(String url) throws IOException, InterruptedException {
        this.url = url;
        HttpResponse<Stream<String>> events =
                http.send(HttpRequest.newBuilder(uri("events")).build(), BodyHandlers.ofLines());
        if (!events.headers().firstValue("Content-Type").orElse("").startsWith("text/event-stream")) {
            throw new IllegalStateException("no events: " + events);
        }
        stream = events.body();
        Thread reader = new Thread(this::read, "events");
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        String[] name = {""};
        try {
            stream.forEach(line -> {
                if (line.startsWith("event:")) {
                    name[0] = line.substring("event:".length());
                } else if (line.startsWith("data:")) {
                    JsonNode data = JSON.readTree(line.substring("data:".length()));
                    if (name[0].equals("state")) {
                        state = data;
                    } else {
                        outcomes.add(data);
                    }
                }
            });
        } catch (RuntimeException e) {
            // closed
        }
    }

    /** The consumer's state. */
    String consumer() {
        return state.at("/consumer/state").asString("");
    }

    /** A number of the deduplicated listener. */
    long count(String topic, String column) {
        return count(topic, Topics.GROUP, column);
    }

    /** A number in the page's table. */
    long count(String topic, String group, String column) {
        for (JsonNode each : state.at("/listeners")) {
            if (each.at("/topic").asString().equals(topic)
                    && each.at("/group").asString().equals(group)) {
                return each.at("/" + column).asLong();
            }
        }
        return -1;
    }

    /** How many such events the deduplicated listener of a topic reported about a message. */
    long events(String topic, String what, String id) {
        return events(topic, Topics.GROUP, what, id);
    }

    long events(String topic, String group, String what, String id) {
        return outcomes.stream()
                .filter(each -> each.at("/topic").asString().equals(topic)
                        && each.at("/group").asString().equals(group)
                        && each.at("/what").asString().equals(what)
                        && each.at("/id").asString().equals(id))
                .count();
    }

    HttpResponse<String> post(String path, Map<String, ?> body) throws IOException, InterruptedException {
        return post(path, "application/json", JSON.writeValueAsString(body));
    }

    HttpResponse<String> post(String path, String type, String body) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(uri(path))
                .header("Content-Type", type)
                .POST(BodyPublishers.ofString(body))
                .build();
        return http.send(request, BodyHandlers.ofString());
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return http.send(HttpRequest.newBuilder(uri(path)).build(), BodyHandlers.ofString());
    }

    /** The body, or the status where there is no record. */
    String lookUp(String topic, String id) throws IOException, InterruptedException {
        HttpResponse<String> answer =
                get("lookup?topic=" + topic + "&id=" + URLEncoder.encode(id, StandardCharsets.UTF_8));
        return answer.statusCode() == 200 ? answer.body() : String.valueOf(answer.statusCode());
    }

    private URI uri(String path) {
        return URI.create(url + path);
    }

    @Override
    public void close() {
        stream.close();
    }
}
