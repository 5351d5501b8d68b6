package io.dedup.examples.live;

import io.dedup.DedupException;
import io.dedup.DedupScope;
import io.dedup.store.StoredRecord;
import io.dedup.store.jdbc.JdbcDedupStore;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * The shop over HTTP. Commands are JSON bodies: an ID may contain characters that a path cannot, and a form on another site cannot
 * send JSON.
 */
@RestController
final class ShopController {
    private final Shop shop;
    private final ConsumerProcess consumer;
    private final JdbcDedupStore records;
    private final Feed feed;

    ShopController(Shop shop, ConsumerProcess consumer, JdbcDedupStore records, Feed feed) {
        this.shop = shop;
        this.consumer = consumer;
        this.records = records;
        this.feed = feed;
    }

    record Placed(String id) {}

    record Resend(String id) {}

    record Replay(String topic) {}

    record Problem(String problem) {}

    /** The record of a message in the store. */
    record RecordView(
            String state,
            int attempt,
            int deaths,
            @Nullable Instant completedAt,
            @Nullable Instant expiresAt) {}

    @PostMapping(path = "/orders", consumes = MediaType.APPLICATION_JSON_VALUE)
    @ResponseStatus(HttpStatus.ACCEPTED)
    Placed place(@RequestBody Shop.Order order) {
        return new Placed(shop.place(order));
    }

    @PostMapping(path = "/orders/resend", consumes = MediaType.APPLICATION_JSON_VALUE)
    @ResponseStatus(HttpStatus.ACCEPTED)
    void resend(@RequestBody Resend order) {
        shop.resend(order.id() == null ? "" : order.id());
    }

    @PostMapping(path = "/replay", consumes = MediaType.APPLICATION_JSON_VALUE)
    @ResponseStatus(HttpStatus.ACCEPTED)
    void replay(@RequestBody Replay what) {
        consumer.replay(known(what.topic()));
    }

    @PostMapping(path = "/consumer/kill", consumes = MediaType.APPLICATION_JSON_VALUE)
    void kill() {
        consumer.kill();
    }

    @PostMapping(path = "/consumer/start", consumes = MediaType.APPLICATION_JSON_VALUE)
    @ResponseStatus(HttpStatus.ACCEPTED)
    void start() {
        consumer.start();
    }

    /** Reads the table itself, so it also works while the consumer is dead. */
    @GetMapping("/lookup")
    RecordView lookup(@RequestParam String topic, @RequestParam String id) {
        StoredRecord found = records.find(
                        DedupScope.of(Topics.GROUP, known(topic)).key(id))
                .orElseThrow(() -> Refused.notFound("no record"));
        return new RecordView(
                found.state().name(), found.attempt(), found.deaths(), found.completedAt(), found.expiresAt());
    }

    @GetMapping("/events")
    SseEmitter events() {
        return feed.open();
    }

    @ExceptionHandler
    ResponseEntity<Problem> refused(Refused e) {
        return ResponseEntity.status(e.status()).body(new Problem(String.valueOf(e.getMessage())));
    }

    /** Answers invalid IDs. */
    @ExceptionHandler
    ResponseEntity<Problem> unusable(DedupException e) {
        return ResponseEntity.badRequest().body(new Problem(String.valueOf(e.getMessage())));
    }

    private static String known(@Nullable String topic) {
        if (topic == null || !Topics.ALL.contains(topic)) {
            throw Refused.badRequest("topic: one of " + Topics.ALL);
        }
        return topic;
    }
}
