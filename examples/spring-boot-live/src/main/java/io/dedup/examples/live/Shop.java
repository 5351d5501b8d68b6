package io.dedup.examples.live;

import io.dedup.DedupKey;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.core.KafkaTemplate;

/** Takes orders and sends messages of them. Thread-safe. */
final class Shop {
    private static final int MAX_ID = 1_000;
    private static final int MAX_CUSTOMER = 100;
    private static final long LIMIT_SECONDS = 30;

    private final JdbcTemplate jdbc;
    private final KafkaTemplate<String, String> kafka;
    private final Tally tally;

    Shop(JdbcTemplate jdbc, KafkaTemplate<String, String> kafka, Tally tally) {
        this.jdbc = jdbc;
        this.kafka = kafka;
        this.tally = tally;
    }

    /**
     * An order.
     *
     * @param id made by the client, so that a repeated request is the same order; made here if it is left out
     */
    record Order(@Nullable String id, String customer, long cents) {}

    /**
     * Sends a message to each topic. May be asked again with the same ID when it failed halfway: the copies are duplicates.
     *
     * @throws Refused when the order can't be one, or the broker didn't take it
     */
    String place(Order order) {
        String id =
                order.id() == null || order.id().isEmpty() ? UUID.randomUUID().toString() : order.id();
        check(id, order);
        jdbc.update(
                "INSERT INTO placed (order_id, customer, cents) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                id,
                order.customer(),
                order.cents());
        send(id, order);
        return id;
    }

    /**
     * Sends the messages of a known order again.
     *
     * @throws Refused when there is no such order, or the broker didn't take it
     */
    void resend(String id) {
        if (!isText(id)) {
            throw Refused.notFound("no such order");
        }
        List<Order> known = jdbc.query(
                "SELECT customer, cents FROM placed WHERE order_id = ?",
                (row, unused) -> new Order(id, row.getString(1), row.getLong(2)),
                id);
        if (known.isEmpty()) {
            throw Refused.notFound("no such order");
        }
        send(id, known.get(0));
    }

    private static void check(String id, Order order) {
        String problem = DedupKey.problemWith(id);
        if (problem != null || id.length() > MAX_ID || !isText(id)) {
            throw Refused.badRequest("id: "
                    + (problem != null
                            ? problem
                            : "at most " + MAX_ID + " characters that PostgreSQL takes, so no U+0000"));
        }
        if (order.customer() == null
                || order.customer().isBlank()
                || order.customer().length() > MAX_CUSTOMER
                || !isText(order.customer())) {
            throw Refused.badRequest("customer: 1 to " + MAX_CUSTOMER + " characters");
        }
        if (order.cents() <= 0) {
            throw Refused.badRequest("cents: more than 0");
        }
    }

    /** Whether PostgreSQL and Kafka hold it as it is. */
    private static boolean isText(String text) {
        return text.indexOf('\0') < 0 && StandardCharsets.UTF_8.newEncoder().canEncode(text);
    }

    private void send(String id, Order order) {
        List<CompletableFuture<?>> sent = new ArrayList<>();
        for (String topic : Topics.ALL) {
            ProducerRecord<String, String> message =
                    new ProducerRecord<>(topic, order.customer(), String.valueOf(order.cents()));
            message.headers().add(Topics.ID_HEADER, id.getBytes(StandardCharsets.UTF_8));
            sent.add(kafka.send(message).thenRun(() -> tally.sent(topic)));
        }
        try {
            CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).get(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw Refused.unavailable("the broker didn't take it; ask again with the same id");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Refused.unavailable("the shop is closing; ask again with the same id");
        }
    }
}
