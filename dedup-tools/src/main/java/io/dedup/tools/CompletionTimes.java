package io.dedup.tools;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads completion times from text. */
final class CompletionTimes {
    private static final Pattern NUMBER = Pattern.compile("-?\\d{1,18}");

    private CompletionTimes() {}

    /** Reads ISO 8601 with a zone or an offset, or milliseconds since 1970; null if it is neither. */
    static @Nullable Instant parse(String text) {
        String time = text.strip();
        if (NUMBER.matcher(time).matches()) {
            return Instant.ofEpochMilli(Long.parseLong(time));
        }
        try {
            return OffsetDateTime.parse(time.replace(' ', 'T')).toInstant();
        } catch (DateTimeException e) {
            return null;
        }
    }
}
