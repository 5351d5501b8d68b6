package io.dedup.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.fuzz.Fuzz;
import io.dedup.fuzz.Hostile;
import io.dedup.spring.boot.Logs;
import io.dedup.spring.boot.internal.actuator.DedupWebEndpoint;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.KafkaListener;

/** What somebody may send to the endpoint. */
class EndpointFuzzTest {
    private static final int INPUTS = 3_000;

    @Configuration(proxyBeanMethods = false)
    static class Listeners {
        @Bean
        Orders orders() {
            return new Orders();
        }
    }

    static class Orders {
        @KafkaListener(id = "billing", topics = "orders")
        void on(String order) {}

        @KafkaListener(id = "audit", topicPattern = "audit-.*")
        void audit(String order) {}
    }

    private static String segment(Hostile input) {
        String text = input.anyText();
        return switch (input.below(4)) {
            case 0 -> "base64:" + Base64.getUrlEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
            case 1 -> "base64:" + Base64.getUrlEncoder().withoutPadding().encodeToString(input.bytes());
            case 2 -> input.oneOf("base64:", "stored:", "stored:sha256:") + text;
            default -> text;
        };
    }

    private static String scope(Hostile input) {
        return switch (input.below(6)) {
            case 0 -> segment(input);
            case 1 -> "billing:" + input.anyText();
            case 2 -> "audit:audit-" + input.anyText();
            case 3 ->
                "base64:" + Base64.getUrlEncoder().encodeToString("billing:orders".getBytes(StandardCharsets.UTF_8));
            default -> "billing:orders";
        };
    }

    @Test
    @DisplayName("every request is answered or refused in a sentence, and what is logged of it is one line")
    void requests() {
        new ApplicationContextRunner()
                .withUserConfiguration(Listeners.class)
                .withConfiguration(AutoConfigurations.of(
                        KafkaAutoConfiguration.class,
                        DedupAutoConfiguration.class,
                        KafkaDedupAutoConfiguration.class,
                        DedupActuatorAutoConfiguration.class))
                .withPropertyValues(
                        "management.endpoints.web.exposure.include=dedup",
                        "dedup.store=memory",
                        "dedup.defaults.id=key",
                        "dedup.topics.orders.window=1h",
                        "dedup.topics.audit.pattern=audit-.*",
                        "dedup.checks.broker=false",
                        "spring.kafka.listener.auto-startup=false")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    DedupWebEndpoint endpoint = context.getBean(DedupWebEndpoint.class);
                    Fuzz.check("requests to the endpoint", INPUTS, input -> {
                        try (Logs logs = new Logs()) {
                            request(endpoint, input);
                            logs.messages().forEach(Fuzz::requireLogLine);
                        }
                    });
                });
    }

    private static void request(DedupWebEndpoint endpoint, Hostile input) {
        String scope = scope(input);
        String id = segment(input);
        String parameter = input.oneOf(null, "true", "false", "5m", "10", input.anyText());
        WebEndpointResponse<Object> answer = switch (input.below(4)) {
            case 0 ->
                endpoint.stuck(
                        input.once(4) ? "report" : scope,
                        parameter,
                        input.oneOf(null, "10", "0", input.anyText()),
                        input.oneOf(null, "1", "24", "25", "-1", input.anyText()));
            case 1 -> endpoint.record(scope, id);
            case 2 -> endpoint.forget(scope, id, parameter);
            default -> input.once(2) ? endpoint.forceDone(scope, id) : endpoint.forceDone(scope, id, parameter);
        };
        assertThat(answer.getStatus()).isIn(200, 400, 404);
        if (answer.getStatus() != 200) {
            String problem = String.valueOf(answer.getBody());
            assertThat(problem).endsWith(".]");
            Fuzz.requireLogLine(problem);
        }
    }
}
