package io.dedup.text;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Makes text from messages safe for log lines: escaped, and limited in length. */
public final class Printable {
    private static final int MAX_CHARS = 80;
    private static final int HASH_BYTES = 8;
    private static final int MAX_SENTENCE_CHARS = 1_000;
    private static final String OWN = "io.dedup.";

    private Printable() {}

    /**
     * Returns the text in double quotes, with control, format and non-ASCII characters as {@code \}{@code uXXXX},
     * limited to 80 characters.
     */
    public static String of(@Nullable String text) {
        if (text == null) {
            return "null";
        }
        StringBuilder out = new StringBuilder(Math.min(text.length(), MAX_CHARS) + 16).append('"');
        int kept = Math.min(text.length(), MAX_CHARS);
        for (int i = 0; i < kept; i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c >= 0x20 && c < 0x7f) {
                out.append(c);
            } else {
                out.append(String.format("\\u%04x", (int) c));
            }
        }
        out.append('"');
        if (text.length() > kept) {
            out.append("… (").append(text.length()).append(" characters)");
        }
        return out.toString();
    }

    /** As {@link #of(String)}; text that is cut ends with a hash of all of it, so that different texts stay different. */
    public static String identified(String text) {
        if (text.length() <= MAX_CHARS) {
            return of(text);
        }
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return of(text) + " #" + HexFormat.of().formatHex(hash, 0, HASH_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("each JDK has SHA-256", e);
        }
    }

    /** Returns an exception's message on one line, limited to 1,000 characters. */
    public static String sentence(String text) {
        StringBuilder out = new StringBuilder(Math.min(text.length(), MAX_SENTENCE_CHARS));
        int at = 0;
        while (at < text.length() && out.length() < MAX_SENTENCE_CHARS) {
            int c = text.codePointAt(at);
            if (Character.isISOControl(c) || Character.getType(c) == Character.FORMAT || c == 0x2028 || c == 0x2029) {
                out.append(String.format("\\u%04x", c));
            } else {
                out.appendCodePoint(c);
            }
            at += Character.charCount(c);
        }
        return at < text.length() ? out.append('…').toString() : out.toString();
    }

    /**
     * Returns the class of an exception and its message. A message of dedup's own exceptions is whole, since its end says
     * what to do; any other may quote the content of a message, and is returned as {@link #of(String)} returns it.
     */
    public static String ofException(Throwable e) {
        String name = e.getClass().getName();
        String message = e.getMessage();
        if (message == null) {
            return name;
        }
        return name + ": " + (name.startsWith(OWN) ? sentence(message) : of(message));
    }
}
