package io.dedup.examples.live;

import org.springframework.http.HttpStatus;

/** The shop rejects a request; the message is for the client. */
final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final HttpStatus status;

    private Refused(HttpStatus status, String message) {
        super(message);
        this.status = status;
    }

    static Refused badRequest(String message) {
        return new Refused(HttpStatus.BAD_REQUEST, message);
    }

    static Refused notFound(String message) {
        return new Refused(HttpStatus.NOT_FOUND, message);
    }

    static Refused conflict(String message) {
        return new Refused(HttpStatus.CONFLICT, message);
    }

    static Refused unavailable(String message) {
        return new Refused(HttpStatus.SERVICE_UNAVAILABLE, message);
    }

    HttpStatus status() {
        return status;
    }
}
