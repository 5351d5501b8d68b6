package io.dedup.examples.recipes;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;

/** A company that charges cards, and answers a repeated idempotency key with the first charge. Thread-safe. */
final class CardProcessor implements AutoCloseable {
    /** An amount that no card has. */
    static final String DECLINED = "1000000 EUR";

    private final HttpServer server;

    /** The idempotency key of each request. */
    final List<String> requests = new CopyOnWriteArrayList<>();

    /** What was charged. */
    final List<String> charges = new CopyOnWriteArrayList<>();

    private final Map<String, String> chargeOfKey = new ConcurrentHashMap<>();
    private volatile Runnable afterCharge = () -> {};

    CardProcessor() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/charges", this::charge);
        server.start();
    }

    URI address() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/charges");
    }

    /** What happens when a card was charged and the answer isn't sent yet. */
    void afterCharge(Runnable action) {
        afterCharge = action;
    }

    private void charge(HttpExchange exchange) throws IOException {
        String key = Objects.requireNonNull(exchange.getRequestHeaders().getFirst("Idempotency-Key"));
        requests.add(key);
        String amount = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        if (amount.equals(DECLINED)) {
            exchange.sendResponseHeaders(402, -1);
            exchange.close();
            return;
        }
        String charge = chargeOfKey.computeIfAbsent(key, first -> {
            charges.add(amount);
            return "ch-" + charges.size();
        });
        afterCharge.run();
        byte[] answer = charge.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, answer.length);
        try (OutputStream body = exchange.getResponseBody()) {
            body.write(answer);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
