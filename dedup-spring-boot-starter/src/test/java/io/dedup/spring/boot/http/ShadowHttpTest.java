package io.dedup.spring.boot.http;

import static io.dedup.spring.boot.http.HttpContract.PROPERTIES;
import static io.dedup.spring.boot.http.HttpContract.isReplay;
import static io.dedup.spring.boot.http.HttpContract.portOf;
import static io.dedup.spring.boot.http.HttpContract.send;
import static io.dedup.spring.boot.http.HttpContract.sending;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;

/** Requests in shadow mode. */
class ShadowHttpTest {
    private final String operation = UUID.randomUUID().toString();

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    @DisplayName("in shadow mode every request runs and gets its own response")
    void shadow(WebApplicationType type) {
        List<String> arguments = new ArrayList<>(PROPERTIES);
        arguments.addAll(List.of(
                "--dedup.defaults.shadow=true",
                "--dedup.store=memory",
                "--spring.datasource.generate-unique-name=true"));
        SpringApplication app = new SpringApplication(
                type == WebApplicationType.SERVLET ? ServletTest.App.class : WebFluxTest.App.class);
        app.setWebApplicationType(type);
        try (ConfigurableApplicationContext context = app.run(arguments.toArray(String[]::new))) {
            for (int run = 1; run <= 2; run++) { // the same key, and another body that is too large
                HttpResponse<String> response =
                        send(request(context, "/small/payments").POST(BodyPublishers.ofString("x".repeat(99 + run))));
                assertThat(response.statusCode()).isEqualTo(201);
                assertThat(response.body()).startsWith("run " + run);
                assertThat(isReplay(response)).isFalse();
            }
            assertThat(send(HttpRequest.newBuilder(uri(context, "/api/payments"))
                                    .POST(BodyPublishers.ofString("10")))
                            .statusCode())
                    .as("without a key")
                    .isEqualTo(201);
            Work.close(operation);
            CompletableFuture<HttpResponse<String>> first =
                    sending(request(context, "/api/gated").POST(BodyPublishers.ofString("10")));
            await().until(() -> Work.runs(operation) == 4);
            CompletableFuture<HttpResponse<String>> second =
                    sending(request(context, "/api/gated").POST(BodyPublishers.ofString("10")));
            await().until(() -> Work.runs(operation) == 5);
            Work.open(operation);
            assertThat(first.join().body()).isEqualTo("done 4");
            assertThat(second.join().body()).isEqualTo("done 5");
        }
    }

    private URI uri(ConfigurableApplicationContext context, String path) {
        return URI.create("http://localhost:" + portOf(context) + path + "?operation=" + operation);
    }

    private HttpRequest.Builder request(ConfigurableApplicationContext context, String path) {
        return HttpRequest.newBuilder(uri(context, path)).header("Idempotency-Key", operation);
    }
}
