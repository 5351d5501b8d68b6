package io.dedup.http.internal.reactive;

/** A request's content is larger than its limit. */
final class RequestTooLargeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RequestTooLargeException() {
        super("the request is too large", null, false, false);
    }
}
