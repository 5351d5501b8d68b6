package io.dedup;

import java.nio.charset.StandardCharsets;

/**
 * Encodes a handler's result for the store, and decodes it for duplicates. Thread-safe.
 *
 * <p>Never use Java deserialization: the content of a store is not trusted.
 *
 * @param <R> the type of the result
 */
public interface ResultCodec<R> {
    /** Encodes a result. If this throws, the message is done without a stored result. */
    byte[] encode(R result);

    /** Decodes a stored result. If this throws, the duplicate gets no result. */
    R decode(byte[] bytes);

    /** Returns a codec for bytes, which are stored as they are. Makes no copies. */
    static ResultCodec<byte[]> bytes() {
        return new ResultCodec<>() {
            @Override
            public byte[] encode(byte[] result) {
                return result;
            }

            @Override
            public byte[] decode(byte[] bytes) {
                return bytes;
            }
        };
    }

    /** Returns a codec for text, encoded as UTF-8. */
    static ResultCodec<String> utf8() {
        return new ResultCodec<>() {
            @Override
            public byte[] encode(String result) {
                return result.getBytes(StandardCharsets.UTF_8);
            }

            @Override
            public String decode(byte[] bytes) {
                return new String(bytes, StandardCharsets.UTF_8);
            }
        };
    }
}
