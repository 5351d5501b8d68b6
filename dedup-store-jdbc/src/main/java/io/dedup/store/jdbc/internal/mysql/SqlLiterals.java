package io.dedup.store.jdbc.internal.mysql;

import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Values in a statement's text. Bytes are written in hexadecimal: no value can end its literal, and no SQL mode changes what a
 * literal means.
 */
final class SqlLiterals {
    private static final HexFormat HEX = HexFormat.of();

    private SqlLiterals() {}

    /** A literal of a number, of bytes, or of nothing. */
    static String of(@Nullable Object value) {
        if (value == null) {
            return "NULL";
        }
        if (value instanceof byte[] bytes) {
            return "X'" + HEX.formatHex(bytes) + "'";
        }
        if (value instanceof Long number) {
            return number.toString();
        }
        throw new IllegalArgumentException("not a value of a statement: " + value.getClass());
    }
}
