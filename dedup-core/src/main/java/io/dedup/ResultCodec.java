package io.dedup;

import java.nio.charset.StandardCharsets;

/**
 * Turns a handler's result into bytes, so that duplicates can be answered with it. Thread-safe.
 *
 * <p>Never Java deserialisation: what a store holds isn't trusted code.
 */
public interface ResultCodec<R> {
    byte[] encode(R result);

    R decode(byte[] bytes);

    /** Text as UTF-8. */
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
