package io.dedup.http.internal;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The answers to requests that don't run: stored responses, and problem details of RFC 9457. They have the texts of this class only, and
 * nothing that a client has sent.
 */
final class Answers {
    static final String REPLAYED = "Idempotency-Replayed";
    static final String BODY_OMITTED = "Idempotency-Body-Omitted";

    private static final int NO_CONTENT = 204;

    private final String header;
    private final @Nullable String documentation;

    Answers(String header, @Nullable String documentation) {
        this.header = header;
        this.documentation = documentation;
    }

    /** What the first request got. */
    Answer replay(@Nullable StoredResponse stored) {
        Map<String, List<String>> headers = new LinkedHashMap<>();
        if (stored != null) {
            headers.putAll(stored.headers());
        }
        headers.put(REPLAYED, List.of("true"));
        if (stored == null || stored.bodyOmitted()) {
            headers.put(BODY_OMITTED, List.of("true"));
        }
        return stored == null
                ? new Answer(NO_CONTENT, false, null, null, headers, new byte[0])
                : new Answer(
                        stored.status(),
                        stored.error(),
                        stored.message(),
                        stored.bodyOmitted() ? null : stored.contentType(),
                        headers,
                        stored.body());
    }

    Answer badKey(String problem) {
        return problem(
                400,
                problem.equals("is missing") ? header + " is missing" : header + " is malformed",
                "The " + header + " header " + problem
                        + ". Send a key of your own for each operation, and the same key when you"
                        + " repeat a request.",
                null);
    }

    Answer badClient(ClientScope.Missing missing) {
        return missing == ClientScope.Missing.PRINCIPAL
                ? problem(403, "Not authenticated", header + " can be used by authenticated clients only.", null)
                : problem(400, "A header is missing", "The header that identifies the client is missing.", null);
    }

    Answer inFlight(Duration retryAfter) {
        return problem(
                409,
                "A request is outstanding for this " + header,
                "The first request with this key has not ended. Repeat this request later.",
                retryAfter);
    }

    Answer conflict() {
        return problem(
                422,
                header + " is already used",
                "This key was used for a request with another method, path, query or body. Send a new key for a new"
                        + " operation.",
                null);
    }

    Answer tooLarge() {
        return problem(413, "The request is too large", "A request with " + header + " must be smaller here.", null);
    }

    Answer unavailable(Duration retryAfter) {
        return problem(
                503,
                "Temporarily unavailable",
                "It cannot be decided now whether this request has run before. Repeat it later, with the same key.",
                retryAfter);
    }

    Answer refused() {
        return problem(500, "The request cannot be handled", "Repeating this request does not help.", null);
    }

    private Answer problem(int status, String title, String detail, @Nullable Duration retryAfter) {
        String json = "{\"type\":" + quoted(documentation == null ? "about:blank" : documentation) + ",\"title\":"
                + quoted(title) + ",\"status\":" + status + ",\"detail\":" + quoted(detail) + "}";
        Map<String, List<String>> headers = new LinkedHashMap<>();
        if (retryAfter != null) {
            long seconds = Math.max(1, retryAfter.plusMillis(999).toSeconds());
            headers.put("Retry-After", List.of(Long.toString(seconds)));
        }
        headers.put("Cache-Control", List.of("no-store"));
        return new Answer(
                status, false, null, "application/problem+json", headers, json.getBytes(StandardCharsets.UTF_8));
    }

    /** Texts of properties may have any character. */
    private static String quoted(String text) {
        StringBuilder json = new StringBuilder("\"");
        text.chars().forEach(c -> {
            if (c == '"' || c == '\\') {
                json.append('\\').append((char) c);
            } else if (c < 0x20) {
                json.append(String.format("\\u%04x", c));
            } else {
                json.append((char) c);
            }
        });
        return json.append('"').toString();
    }
}
