package io.dedup.examples.http;

import io.dedup.DedupContext;
import io.dedup.DedupKey;
import io.dedup.http.HttpDedup;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.springframework.http.ResponseEntity;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** The API. A client that repeats a request with the same Idempotency-Key gets the first response. */
@RestController
class PaymentsApi {
    private final KafkaTemplate<String, String> kafka;
    private final Refunds refunds;

    PaymentsApi(KafkaTemplate<String, String> kafka, Refunds refunds) {
        this.kafka = kafka;
        this.refunds = refunds;
    }

    /** Publishes the payment. If this process dies after that, the client's next request publishes it again, with the same ID. */
    // docs:begin
    @PostMapping("/payments")
    ResponseEntity<String> pay(@RequestBody String payment, @RequestAttribute(HttpDedup.CONTEXT) DedupContext dedup)
            throws ExecutionException, InterruptedException, TimeoutException {
        ProducerRecord<String, String> message = new ProducerRecord<>("payments", payment);
        message.headers().add("payment-id", idOf(dedup).getBytes(StandardCharsets.UTF_8));
        kafka.send(message).get(30, TimeUnit.SECONDS); // accepted only when it is in the topic
        return ResponseEntity.accepted().body("accepted " + payment);
    }
    // docs:end

    /** Makes the refund, unless the listener has. */
    @PostMapping("/refunds")
    String refund(@RequestAttribute(HttpDedup.CONTEXT) DedupContext dedup) {
        refunds.refund(idOf(dedup), "api");
        return "refunded";
    }

    private static String idOf(DedupContext dedup) {
        DedupKey key = Objects.requireNonNull(dedup.key());
        return key.messageId();
    }
}
