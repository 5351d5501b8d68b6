package io.dedup.examples.live;

import io.dedup.DedupKey;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.core.KafkaTemplate;

/** Takes orders and sends their messages. Thread-safe. */
final class Shop {
    private static final int MAX_ID = 1_000;
    private static final int MAX_CUSTOMER = 100;
    private static final long MAX_CENTS = 10_000_000;
    private static final long LIMIT_SECONDS = 30;

    private final JdbcTemplate jdbc;
    private final KafkaTemplate<String, String> kafka;
    private final Tally tally;
    private final Feed feed;

    Shop(JdbcTemplate jdbc, KafkaTemplate<String, String> kafka, Tally tally, Feed feed) {
        this.jdbc = jdbc;
        this.kafka = kafka;
        this.tally = tally;
        this.feed = feed;
    }

    /**
     * An order.
     *
     * @param id assigned by the client, so that a repeated request is the same order; the shop assigns one if it is missing
     */
    record Order(@Nullable String id, String customer, long cents) {}

    /**
     * Sends one message to each topic. If that fails halfway, place the same order again: the copies are duplicates.
     *
     * @throws Refused when the order is invalid, its ID belongs to a different order, or the broker doesn't take the messages
     */
    String place(Order order) {
        String id = order.id() == null ? "" : order.id();
        check(id, order);
        if (id.isEmpty()) {
            do {
                id = "order-" + jdbc.queryForObject("SELECT nextval('order_number')", Long.class);
            } while (!insert(id, order));
        } else if (!insert(id, order) && !order.equals(find(id))) {
            throw Refused.conflict("order " + id + " exists, with another customer or amount");
        }
        send(id, order);
        return id;
    }

    private boolean insert(String id, Order order) {
        return jdbc.update(
                        "INSERT INTO placed (order_id, customer, cents) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                        id,
                        order.customer(),
                        order.cents())
                == 1;
    }

    private @Nullable Order find(String id) {
        return jdbc
                .query(
                        "SELECT customer, cents FROM placed WHERE order_id = ?",
                        (row, unused) -> new Order(id, row.getString(1), row.getLong(2)),
                        id)
                .stream()
                .findFirst()
                .orElse(null);
    }

    /**
     * Sends the messages of an existing order again.
     *
     * @throws Refused when there is no such order, or the broker doesn't take the messages
     */
    void resend(String id) {
        Order known = isText(id) ? find(id) : null;
        if (known == null) {
            throw Refused.notFound("no such order");
        }
        send(id, known);
    }

    private static void check(String id, Order order) {
        String problem = id.isEmpty() ? null : DedupKey.problemWith(id);
        if (problem != null || id.length() > MAX_ID || !isText(id)) {
            throw Refused.badRequest("id: "
                    + (problem != null
                            ? problem
                            : "at most " + MAX_ID + " characters, and no U+0000, which PostgreSQL cannot store"));
        }
        if (order.customer() == null
                || order.customer().isBlank()
                || order.customer().length() > MAX_CUSTOMER
                || !isText(order.customer())) {
            throw Refused.badRequest("customer: 1 to " + MAX_CUSTOMER + " characters");
        }
        if (order.cents() <= 0 || order.cents() > MAX_CENTS) {
            throw Refused.badRequest("cents: 1 to " + MAX_CENTS);
        }
    }

    /** Whether PostgreSQL and Kafka can store the text unchanged. */
    private static boolean isText(String text) {
        return text.indexOf('\0') < 0 && StandardCharsets.UTF_8.newEncoder().canEncode(text);
    }

    private void send(String id, Order order) {
        feed.happened(TimelineEvent.of(TimelineEvent.SENT, "", id));
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
            throw Refused.unavailable("Kafka didn't take the messages; try again with the same ID");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Refused.unavailable("the shop is closing; try again with the same ID");
        }
    }
}
