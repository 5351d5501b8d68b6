package io.dedup.testservers.rocketmq.program;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Takes orders by HTTP, as {@code /topic/<name>/<type>/<queues>}, {@code /group/<name>/<fifo>/<retries>/<delays>},
 * {@code /lite-group/<name>/<topic>/<retries>}, {@code /reset/<topic>/<group>}, {@code /dead-letters/<group>/<property>},
 * and {@code /end}, after which the process ends.
 */
final class ControlEndpoint {
    private final Server server;
    private final HttpServer http;

    ControlEndpoint(Server server, int port) throws IOException {
        this.server = server;
        this.http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        http.createContext("/", this::handle);
    }

    void start() {
        http.start();
    }

    private void handle(HttpExchange exchange) throws IOException {
        int status = 200;
        String answer;
        try {
            answer = obey(exchange.getRequestURI().getPath().substring(1).split("/", -1));
        } catch (Exception e) {
            status = 500;
            answer = e.toString();
        }
        byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
        try (exchange) {
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    private String obey(String[] order) throws Exception {
        switch (order[0]) {
            case "topic" -> server.createTopic(order[1], order[2], Integer.parseInt(order[3]));
            case "group" ->
                server.createGroup(
                        order[1],
                        Boolean.parseBoolean(order[2]),
                        Integer.parseInt(order[3]),
                        Arrays.stream(order[4].split(","))
                                .filter(delay -> !delay.isEmpty())
                                .mapToLong(Long::parseLong)
                                .toArray());
            case "lite-group" -> server.createLiteGroup(order[1], order[2], Integer.parseInt(order[3]));
            case "reset" -> server.resetOffset(order[1], order[2]);
            case "dead-letters" -> {
                return String.join("\n", server.deadLetters(order[1], order[2]));
            }
            case "end" -> new Thread(this::end, "end").start();
            default -> throw new IllegalArgumentException("no such order: " + order[0]);
        }
        return "done";
    }

    private void end() {
        server.shutDown();
        Runtime.getRuntime().halt(0); // nothing is left to do, and threads that are still running would delay the exit
    }
}
