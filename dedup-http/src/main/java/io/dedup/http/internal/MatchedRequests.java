package io.dedup.http.internal;

import java.util.Set;
import org.springframework.web.util.pattern.PathPattern;

/**
 * The requests that are deduplicated as those of one path.
 *
 * @param methods in upper case
 */
public record MatchedRequests(PathPattern pattern, Set<String> methods) {
    boolean contains(String method, RequestedPath path) {
        return methods.contains(method) && path.matches(pattern);
    }
}
