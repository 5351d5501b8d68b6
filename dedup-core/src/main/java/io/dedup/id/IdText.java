package io.dedup.id;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The text of a value that is a message ID, for all extractors: text of any class (such as Avro's {@code Utf8}),
 * integer numbers, {@code UUID}s, enum constants (their names), and bytes in UTF-8.
 *
 * <p>Nothing else has one text for one value: {@code 1.0} and {@code 1.00} are equal as numbers, and many objects'
 * {@code toString} differs in each process.
 */
public final class IdText {
    private IdText() {}

    /**
     * Returns the text; null if there is no value.
     *
     * @param where names the value in errors, such as {@code the key}
     * @throws IllegalArgumentException if the value has no unambiguous text
     */
    public static @Nullable String of(@Nullable Object value, String where) {
        if (value == null || value instanceof CharSequence || value instanceof Character || isInteger(value)) {
            return value == null ? null : value.toString();
        }
        if (value instanceof UUID) {
            return value.toString();
        }
        if (value instanceof Enum<?> constant) {
            return constant.name();
        }
        if (value instanceof byte[] bytes) {
            return utf8(ByteBuffer.wrap(bytes), where);
        }
        if (value instanceof ByteBuffer buffer) {
            return utf8(buffer.duplicate(), where);
        }
        throw new UnusableIdException(where + " is a " + value.getClass().getName()
                + ", which has no unambiguous text. It must be text, an integer number, a UUID, an enum constant or"
                + " bytes in UTF-8");
    }

    private static boolean isInteger(Object value) {
        return value instanceof Long
                || value instanceof Integer
                || value instanceof Short
                || value instanceof Byte
                || value instanceof BigInteger;
    }

    private static String utf8(ByteBuffer bytes, String where) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
        } catch (CharacterCodingException e) {
            throw new UnusableIdException(where + " isn't UTF-8", e);
        }
    }
}
