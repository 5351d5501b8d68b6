package io.dedup.internal.listener;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Logs where a log that fails must not change what has happened. */
public final class SafeLog {
    private SafeLog() {}

    /** Logs a warning about {@code subject}, whose text goes where the message says {@code {}}. */
    public static void warn(Logger log, String message, @Nullable Object subject, Throwable cause) {
        try {
            log.warn(message, subject, cause);
        } catch (Throwable unused) {
            // Nobody is left to be told. Exceptions whose getMessage() throws do this, and so do broken appenders.
        }
    }
}
