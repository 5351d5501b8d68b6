package io.dedup.spring.boot;

/** What a request handler of a path in {@code dedup.http.paths} can read. */
public final class HttpDedup {
    /**
     * The request attribute with the run's {@link io.dedup.DedupContext}, for Spring MVC and WebFlux:
     * {@code @RequestAttribute(HttpDedup.CONTEXT) DedupContext dedup}. Its key has the message ID under which the request is
     * recorded.
     */
    public static final String CONTEXT = "io.dedup.context";

    private HttpDedup() {}
}
