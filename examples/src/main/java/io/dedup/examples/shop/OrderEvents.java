package io.dedup.examples.shop;

import io.dedup.id.JsonPointerId;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The committed order events, as a shop's checkout sent them: one CloudEvent a line, some orders sent two or three
 * times by the producer's own retries, each time as a new event with the same order ID.
 */
public final class OrderEvents {
    private static final JsonPointerId ORDER_ID = JsonPointerId.of("/data/orderId");
    private static final JsonPointerId CUSTOMER_ID = JsonPointerId.of("/data/customerId");
    private static final JsonPointerId TOTAL_CENTS = JsonPointerId.of("/data/totalCents");

    private final List<String> lines;

    private OrderEvents(List<String> lines) {
        this.lines = lines;
    }

    public static OrderEvents load() throws IOException {
        try (InputStream in = OrderEvents.class.getResourceAsStream("/orders.jsonl")) {
            String all = new String(Objects.requireNonNull(in, "orders.jsonl").readAllBytes(), StandardCharsets.UTF_8);
            return new OrderEvents(all.lines().toList());
        }
    }

    public List<String> lines() {
        return lines;
    }

    /** What the business table must hold at the end: each order once. */
    public Map<String, Long> centsByOrder() {
        Map<String, Long> cents = new HashMap<>();
        for (String line : lines) {
            cents.put(orderId(line), totalCents(line));
        }
        return cents;
    }

    public static String orderId(String event) {
        return Objects.requireNonNull(ORDER_ID.find(event), "an order event has an order ID");
    }

    public static String customerId(String event) {
        return Objects.requireNonNull(CUSTOMER_ID.find(event), "an order event has a customer ID");
    }

    public static long totalCents(String event) {
        return Long.parseLong(Objects.requireNonNull(TOTAL_CENTS.find(event), "an order event has a total"));
    }
}
