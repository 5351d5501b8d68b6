package io.dedup.examples.recipes;

import io.dedup.DedupContext;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.stereotype.Component;

/** docs/recipes/card-processor.md: a handler that calls another company's service. */
@Component
class CardListener {
    private static final Logger log = LoggerFactory.getLogger(CardListener.class);

    private final HttpClient http = HttpClient.newHttpClient();
    private final URI charges;

    CardListener(URI charges) {
        this.charges = charges;
    }

    // docs:begin
    @KafkaListener(id = "charging", topics = "payments")
    void charge(String payment, @Header("payment-id") String paymentId, DedupContext context)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(charges)
                .header("Idempotency-Key", paymentId) // the message ID: the same in every attempt
                .timeout(Duration.ofSeconds(10)) // shorter than max-processing-time
                .POST(BodyPublishers.ofString(payment)) // nothing that differs from attempt to attempt
                .build();
        HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
        switch (answer.statusCode()) {
            case 200 -> log.info("Payment {}, attempt {}: charge {}", paymentId, context.attempt(), answer.body());
            case 402 -> log.info("Payment {}: the card was declined", paymentId); // an answer: store it
            default -> throw new IllegalStateException("Payment " + paymentId + ": HTTP " + answer.statusCode());
        }
    }
    // docs:end
}
