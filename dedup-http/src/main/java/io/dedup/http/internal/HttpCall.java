package io.dedup.http.internal;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A request for a deduplicated path, as far as its record depends on it.
 *
 * @param path within the application, as it was sent
 * @param headers the values of a header; none if it is missing
 * @param principal the name of the authenticated client; null if there is none
 */
public record HttpCall(
        String method,
        String path,
        @Nullable String query,
        Function<String, List<String>> headers,
        @Nullable String principal) {}
