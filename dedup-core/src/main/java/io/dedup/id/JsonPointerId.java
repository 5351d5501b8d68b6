package io.dedup.id;

import io.dedup.text.Printable;
import io.dedup.text.Utf8;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds a message ID in JSON by a JSON Pointer (RFC 6901), such as {@code /payment/id} or {@code /items/0/sku}.
 *
 * <p>Reads as little as it must: what comes after the ID is neither read nor checked. Where a document has a member
 * twice, the first one counts. A string is taken as it is and an integer as its text, so {@code "7"} and {@code 7} are
 * the same ID; objects, arrays, booleans, null and numbers with a fraction or an exponent are none. Nesting and lengths
 * are bounded by Jackson's default {@code StreamReadConstraints}.
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
     * The finder of a pointer; the empty pointer is the whole document.
     *
     * @throws IllegalArgumentException when it isn't a JSON Pointer; says why
     * @throws IllegalStateException when Jackson's core is missing; names the dependency
     */
    public static JsonPointerId of(String pointer) {
        List<String> path = path(pointer);
        try {
            return new JsonPointerId(pointer, new JsonPointerReader(path));
        } catch (NoClassDefFoundError e) {
            throw new IllegalStateException(
                    "taking a message ID out of JSON needs the dependency tools.jackson.core:jackson-core, version 3.x,"
                            + " on the class path",
                    e);
        }
    }

    /**
     * The ID in a document in UTF-8, UTF-16 or UTF-32, with or without a byte order mark.
     *
     * @return as found, not checked by {@link io.dedup.DedupKey#problemWith}; null when there is no string or integer at the
     *     pointer
     * @throws IllegalArgumentException when the document is malformed before the ID, or beyond Jackson's limits; its
     *     message holds nothing of the document
     */
    public @Nullable String find(byte[] json) {
        return reader.find(json);
    }

    /** As {@link #find(byte[])}, for a document that is text already. */
    public @Nullable String find(String json) {
        return reader.find(json);
    }

    /** The pointer as given. */
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
            throw wrong(pointer, "must be well-formed text (it holds a lone surrogate)");
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
