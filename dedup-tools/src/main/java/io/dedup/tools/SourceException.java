package io.dedup.tools;

/** The source cannot be read. */
final class SourceException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SourceException(String message, Throwable cause) {
        super(message + ": " + cause, cause);
    }
}
