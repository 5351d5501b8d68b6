package io.dedup.id;

import io.dedup.text.Printable;
import io.dedup.text.Utf8;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds a message ID in JSON by a JSON Pointer (RFC 6901), such as {@code /payment/id} or {@code /items/0/sku}.
 *
 * <p>Reads only as far as needed: the document after the ID is neither read nor checked. If an object has a member
 * twice, the first one counts. A string is taken as it is and an integer as its text, so {@code "7"} and {@code 7} are
 * the same ID. Objects, arrays, booleans, null, and numbers with a fraction or an exponent are not IDs. Nesting and
 * lengths are limited by Jackson's default {@code StreamReadConstraints}.
 *
 * <p>Needs {@code tools.jackson.core:jackson-core} 3.x at run time. Immutable and thread-safe.
 */
public final class JsonPointerId {
    private final String pointer;
    private final JsonPointerReader reader;

    private JsonPointerId(String pointer, JsonPointerReader reader) {
        this.pointer = pointer;
        this.reader = reader;
    }

    /**
     * Creates a finder for a pointer; the empty pointer is the whole document.
     *
     * @throws IllegalArgumentException if it is not a JSON Pointer; the message says why
     * @throws IllegalStateException if Jackson is missing; the message names the dependency
     */
    public static JsonPointerId of(String pointer) {
        List<String> path = path(pointer);
        try {
            return new JsonPointerId(pointer, new JsonPointerReader(path));
        } catch (NoClassDefFoundError e) {
            throw new IllegalStateException(
                    "Cannot read message IDs from JSON: tools.jackson.core:jackson-core 3.x is not on the class path. Add"
                            + " this dependency",
                    e);
        }
    }

    /**
     * Finds the ID in a document in UTF-8, UTF-16 or UTF-32, with or without a byte order mark.
     *
     * @return the ID, not checked by {@link io.dedup.DedupKey#problemWith}; null if there is no string or integer at
     *     the pointer
     * @throws IllegalArgumentException if the document is malformed before the ID, or exceeds Jackson's limits; its
     *     message contains nothing of the document
     */
    public @Nullable String find(byte[] json) {
        return reader.find(json);
    }

    /** Like {@link #find(byte[])}, for a document that is already text. */
    public @Nullable String find(String json) {
        return reader.find(json);
    }

    /** Returns the pointer. */
    @Override
    public String toString() {
        return pointer;
    }

    private static List<String> path(String pointer) {
        if (pointer.isEmpty()) {
            return List.of();
        }
        if (pointer.charAt(0) != '/') {
            throw wrong(pointer, "must begin with '/', as in \"/payment/id\"");
        }
        if (Utf8.lengthOrMinusOne(pointer) < 0) {
            throw wrong(pointer, "must be valid Unicode without lone surrogates");
        }
        List<String> path = new ArrayList<>();
        for (String token : pointer.substring(1).split("/", -1)) {
            path.add(unescaped(token, pointer));
        }
        return path;
    }

    private static String unescaped(String token, String pointer) {
        for (int at = token.indexOf('~'); at >= 0; at = token.indexOf('~', at + 1)) {
            if (at + 1 == token.length() || (token.charAt(at + 1) != '0' && token.charAt(at + 1) != '1')) {
                throw wrong(pointer, "must write '~' as \"~0\" (and '/' inside a name as \"~1\")");
            }
        }
        return token.replace("~1", "/").replace("~0", "~"); // in this order: "~01" is "~1"
    }

    private static IllegalArgumentException wrong(String pointer, String problem) {
        return new IllegalArgumentException("a JSON Pointer " + problem + ", but is " + Printable.of(pointer));
    }
}
