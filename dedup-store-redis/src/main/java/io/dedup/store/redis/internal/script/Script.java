package io.dedup.store.redis.internal.script;

import io.lettuce.core.codec.Base16;
import java.nio.charset.StandardCharsets;

/**
 * A Lua script, called by its digest or with its source.
 *
 * @param operation what it does, for messages
 * @param digest its SHA-1 as a bulk string of the protocol
 * @param source the script as a bulk string of the protocol
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Script(String operation, byte[] digest, byte[] source) {
    /** @param source its text */
    public static Script of(String operation, String source) {
        return new Script(
                operation,
                BulkStrings.bulk(Base16.digest(source.getBytes(StandardCharsets.UTF_8))),
                BulkStrings.bulk(source));
    }
}
