package io.dedup.http.internal;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the value of an {@code Idempotency-Key} header: a string of RFC 9651, <code>"8e03978e"</code>, or the same without quotes, as most
 * clients send it. Both are the same key.
 *
 * @param key null if there is none
 * @param problem continues "The Idempotency-Key header …"; null if the key can be used
 */
record KeyHeader(@Nullable String key, @Nullable String problem) {
    /** Longer ones are no keys, and would be hashed in every store. */
    static final int MAX_CHARS = 255;

    static KeyHeader parse(List<String> values) {
        if (values.isEmpty()) {
            return new KeyHeader(null, "is missing");
        }
        if (values.size() > 1) {
            return new KeyHeader(null, "is there more than once");
        }
        String value = trimmed(values.get(0));
        String key = value.startsWith("\"") ? unquoted(value) : value;
        if (key == null) {
            return new KeyHeader(null, "is not a string in double quotes");
        }
        if (key.isBlank()) {
            return new KeyHeader(null, "is empty");
        }
        if (key.length() > MAX_CHARS) {
            return new KeyHeader(null, "has more than " + MAX_CHARS + " characters");
        }
        if (!key.chars().allMatch(c -> c >= 0x20 && c < 0x7f)) {
            return new KeyHeader(null, "has characters other than printable ASCII");
        }
        boolean bare = !value.startsWith("\"");
        if (bare && (key.indexOf('"') >= 0 || key.indexOf(',') >= 0)) {
            return new KeyHeader(null, "has a quote or a comma. Put the key in double quotes");
        }
        return new KeyHeader(key, null);
    }

    /** The content of a quoted string; what follows it may only be parameters, which have no meaning. Null if it isn't one. */
    private static @Nullable String unquoted(String value) {
        StringBuilder content = new StringBuilder();
        for (int i = 1; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"') {
                return i + 1 == value.length() || value.charAt(i + 1) == ';' ? content.toString() : null;
            }
            if (c == '\\') {
                i++;
                if (i == value.length() || (value.charAt(i) != '"' && value.charAt(i) != '\\')) {
                    return null;
                }
                c = value.charAt(i);
            }
            content.append(c);
        }
        return null;
    }

    /** Without the white space that may surround a header's value; others make it malformed. */
    private static String trimmed(String value) {
        int from = 0;
        int to = value.length();
        while (from < to && isSpace(value.charAt(from))) {
            from++;
        }
        while (to > from && isSpace(value.charAt(to - 1))) {
            to--;
        }
        return value.substring(from, to);
    }

    private static boolean isSpace(char c) {
        return c == ' ' || c == '\t';
    }
}
