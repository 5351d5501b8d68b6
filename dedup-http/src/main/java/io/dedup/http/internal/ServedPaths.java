package io.dedup.http.internal;

import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The paths whose requests are deduplicated. Patterns are those of the framework's own request mappings, and the application's own
 * matching decides ({@link RequestedPath}). Thread-safe.
 */
public final class ServedPaths {
    /** The most specific first. */
    private final List<HttpPath> paths;

    public ServedPaths(List<HttpPath> paths) {
        this.paths = paths.stream()
                .sorted(Comparator.comparing(path -> path.requests().pattern()))
                .toList();
    }

    /** The path that a request is for; null if it isn't deduplicated. */
    @Nullable
    public HttpPath find(String method, RequestedPath path) {
        for (HttpPath each : paths) {
            if (each.requests().contains(method, path)) {
                return each;
            }
        }
        return null;
    }

    /** Leaves claims to expire whose runs would never end. */
    public void close() {
        paths.forEach(HttpPath::close);
    }
}
