package io.dedup.store.redis.internal.script;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A growing sequence of bulk strings in the form that Redis reads. Not thread-safe. */
public final class BulkStrings {
    private byte[] bytes;
    private int length;
    private int count;
    private int keyAt;
    private int keyLength = -1;

    public BulkStrings(int expectedBytes) {
        bytes = new byte[expectedBytes];
    }

    /** A constant bulk string. */
    static byte[] bulk(String text) {
        BulkStrings arguments = new BulkStrings(text.length() + 32);
        arguments.add(text.getBytes(StandardCharsets.UTF_8));
        return Arrays.copyOf(arguments.bytes, arguments.length);
    }

    public BulkStrings addKey(byte[] scopePrefix, byte[] id) {
        startKey(scopePrefix.length + id.length);
        put(scopePrefix);
        put(id);
        return end();
    }

    private void startKey(int size) {
        start(size);
        if (keyLength < 0) {
            keyAt = length;
            keyLength = size;
        }
    }

    /** Adds a key whose ID is well-formed text. */
    public BulkStrings addKey(byte[] scopePrefix, String id) {
        if (!isAscii(id)) {
            return addKey(scopePrefix, id.getBytes(StandardCharsets.UTF_8));
        }
        startKey(scopePrefix.length + id.length());
        put(scopePrefix);
        put(id);
        return end();
    }

    private static boolean isAscii(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 0x80) {
                return false;
            }
        }
        return true;
    }

    public BulkStrings add(byte[] value) {
        start(value.length);
        put(value);
        return end();
    }

    public BulkStrings add(long value) {
        return add(Long.toString(value));
    }

    /** Adds text that is known to be ASCII. */
    public BulkStrings add(String ascii) {
        start(ascii.length());
        put(ascii);
        return end();
    }

    /** Adds text that is known to be ASCII, and one more character. */
    public BulkStrings add(String ascii, char last) {
        start(ascii.length() + 1);
        put(ascii);
        bytes[length++] = (byte) last;
        return end();
    }

    /** Adds a character, which is known to be ASCII, followed by bytes. */
    public BulkStrings add(char first, byte[] rest) {
        start(rest.length + 1);
        bytes[length++] = (byte) first;
        put(rest);
        return end();
    }

    private void start(int size) {
        ensure(size + 16);
        bytes[length++] = '$';
        putNumber(size);
        bytes[length++] = '\r';
        bytes[length++] = '\n';
    }

    /** Nearly all sizes have one or two digits. */
    private void putNumber(int number) {
        if (number < 10) {
            bytes[length++] = (byte) ('0' + number);
        } else if (number < 100) {
            bytes[length++] = (byte) ('0' + number / 10);
            bytes[length++] = (byte) ('0' + number % 10);
        } else {
            put(Integer.toString(number));
        }
    }

    private BulkStrings end() {
        bytes[length++] = '\r';
        bytes[length++] = '\n';
        count++;
        return this;
    }

    private void put(byte[] value) {
        System.arraycopy(value, 0, bytes, length, value.length);
        length += value.length;
    }

    @SuppressWarnings("deprecation") // for text that isn't ASCII; for ASCII it is a plain copy of the bytes
    private void put(String ascii) {
        ascii.getBytes(0, ascii.length(), bytes, length);
        length += ascii.length();
    }

    private void ensure(int more) {
        if (bytes.length - length < more) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
        }
    }

    byte[] bytes() {
        return bytes;
    }

    int length() {
        return length;
    }

    int count() {
        return count;
    }

    /** Not a slice: Lettuce's {@code SlotHash} reads a buffer's array by its position alone, without its offset. */
    ByteBuffer firstKey() {
        return ByteBuffer.wrap(bytes, keyAt, keyLength);
    }
}
