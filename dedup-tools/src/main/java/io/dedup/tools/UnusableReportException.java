package io.dedup.tools;

import org.jspecify.annotations.Nullable;

/** A process gave no report, or none that can be used. The message is a sentence without text of the answer that isn't escaped. */
final class UnusableReportException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnusableReportException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
