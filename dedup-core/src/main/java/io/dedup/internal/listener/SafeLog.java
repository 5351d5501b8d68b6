package io.dedup.internal.listener;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Logs in places where a failure of the log must not change an outcome. */
public final class SafeLog {
    private SafeLog() {}

    /** Logs a warning about {@code subject}, which replaces {@code {}} in the message. */
    public static void warn(Logger log, String message, @Nullable Object subject, Throwable cause) {
        try {
            log.warn(message, subject, cause);
        } catch (Throwable unused) {
            // Nothing is left to report to. Happens with broken appenders and exceptions whose getMessage() throws.
        }
    }
}
