package io.dedup.tools;

import io.dedup.report.DuplicationReport;
import io.dedup.text.Printable;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Asks processes for their reports. An answer is limited in time and size, redirects aren't followed (they would take the
 * authorization along), and nothing is sent but the request.
 */
final class ReportFetcher {
    static final int MAX_BYTES = 16 * 1024 * 1024;

    private final int hours;
    private final Duration timeout;
    private final @Nullable String authorization;
    private final HttpClient client;

    /** @param authorization the value of this header; null for none */
    ReportFetcher(int hours, Duration timeout, @Nullable String authorization) {
        this.hours = hours;
        this.timeout = timeout;
        this.authorization = authorization;
        this.client = HttpClient.newBuilder()
                .followRedirects(Redirect.NEVER)
                .connectTimeout(timeout)
                .build();
    }

    /** Sends the request; {@link #answer} waits for its answer. */
    CompletableFuture<byte[]> ask(URI endpoint) {
        String path = endpoint.toString();
        URI uri = URI.create((path.endsWith("/") ? path.substring(0, path.length() - 1) : path) + "/report?hours="
                + hours + "&limit=" + DuplicationReport.ALL_COPIED);
        HttpRequest.Builder request =
                HttpRequest.newBuilder(uri).header("Accept", "application/json").timeout(timeout);
        if (authorization != null) {
            request.header("Authorization", authorization);
        }
        return client.sendAsync(request.build(), ReportFetcher::body)
                .thenApply(answer -> {
                    if (answer.statusCode() != 200) {
                        throw refused(answer.statusCode(), answer.body());
                    }
                    return answer.body();
                })
                .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static LimitedBody body(ResponseInfo info) {
        return new LimitedBody(MAX_BYTES);
    }

    private static UnusableReportException refused(int status, byte[] body) {
        String why = switch (status) {
            case 301, 302, 303, 307, 308 -> ". Redirects aren't followed: name the endpoint itself";
            case 401, 403 -> ". Set DEDUP_REPORT_AUTHORIZATION";
            case 404 ->
                ". Is the endpoint exposed (management.endpoints.web.exposure.include), and does the URL end with"
                        + " /actuator/dedup?";
            default -> "";
        };
        String said = new String(body, 0, Math.min(body.length, 200), StandardCharsets.UTF_8);
        return new UnusableReportException(
                "HTTP status " + status + why + (said.isBlank() ? "" : ". It said " + Printable.of(said)), null);
    }

    /**
     * The body of an answer.
     *
     * @throws UnusableReportException if there is none, or none in time
     */
    byte[] answer(CompletableFuture<byte[]> asked) {
        try {
            return asked.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnusableReportException("Interrupted", e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            if (cause instanceof UnusableReportException unusable) {
                throw unusable;
            }
            if (cause instanceof TimeoutException || cause instanceof java.net.http.HttpTimeoutException) {
                throw new UnusableReportException("No answer within " + timeout.toSeconds() + " s", cause);
            }
            if (cause instanceof ConnectException) {
                throw new UnusableReportException("Nothing accepts a connection", cause);
            }
            if (cause instanceof IOException && cause.getCause() instanceof UnusableReportException unusable) {
                throw unusable;
            }
            throw new UnusableReportException("The request failed: " + Printable.ofException(cause), cause);
        }
    }

    /** The URL without a password that somebody may have written into it. */
    static String shown(URI endpoint) {
        return Printable.sentence(endpoint.getScheme() + "://" + endpoint.getHost()
                + (endpoint.getPort() < 0 ? "" : ":" + endpoint.getPort())
                + (endpoint.getRawPath() == null ? "" : endpoint.getRawPath()));
    }
}
