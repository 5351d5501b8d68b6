package io.dedup.http;

import io.dedup.http.internal.HttpRun;

/** What a request handler of a deduplicated path can read. */
public final class HttpDedup {
    /**
     * The request attribute with the run's {@link io.dedup.DedupContext}, for Spring MVC and WebFlux:
     * {@code @RequestAttribute(HttpDedup.CONTEXT) DedupContext dedup}. Its key has the message ID under which the request is
     * recorded.
     */
    public static final String CONTEXT = HttpRun.CONTEXT;

    private HttpDedup() {}
}
