package io.dedup.http.internal;

import org.springframework.web.util.pattern.PathPattern;

/** The path of one request, as the application's own handler mappings read it. */
public interface RequestedPath {
    /** Whether a handler with this pattern would get the request. */
    boolean matches(PathPattern pattern);
}
