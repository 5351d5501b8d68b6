package io.dedup.store.redis;

import io.lettuce.core.codec.Base16;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * One Lua script, ready to be named by its digest or sent as a whole.
 *
 * @param operation what it does, for messages
 * @param digest its SHA-1 as a bulk string of the wire
 * @param source the script as a bulk string of the wire
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Script(String operation, byte[] digest, byte[] source) {
    /**
     * @param operation the name of the resource, too
     * @param prelude what comes before the resource's text
     */
    static Script load(String operation, String prelude) {
        String source = prelude + read(operation.replace(' ', '_') + ".lua");
        return new Script(
                operation, Wire.bulk(Base16.digest(source.getBytes(StandardCharsets.UTF_8))), Wire.bulk(source));
    }

    private static String read(String resource) {
        try (InputStream in = Script.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException("missing from the class path: " + resource);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
