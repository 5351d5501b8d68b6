package io.dedup.store.jdbc.internal.sql;

import io.dedup.DedupKey;
import io.dedup.text.Utf8;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a table keeps in the columns {@code message_id} and {@code scope}. A table has one format for all of its rows: with two, a
 * message would have two records.
 */
public enum KeyFormat {
    /** Message ID and scope as they are, in UTF-8. */
    PLAIN {
        @Override
        public byte[] messageId(DedupKey key) {
            return KeyBytes.utf8(key.messageId());
        }

        @Override
        public byte[] scope(DedupKey key) {
            return KeyBytes.utf8(key.scope().text());
        }

        @Override
        public String idText(DedupKey key) {
            return key.messageId();
        }

        @Override
        public String idText(byte[] messageId) {
            return KeyBytes.text(messageId);
        }
    },

    /**
     * The first 14 bytes of the SHA-256 of scope, {@code 0xff} and message ID in place of the message ID, and no scope. The byte
     * between them does not occur in UTF-8, so that no two keys have the same input.
     */
    DIGEST {
        @Override
        public byte[] messageId(DedupKey key) {
            byte[] scope = KeyBytes.utf8(key.scope().text());
            byte[] id = KeyBytes.utf8(key.messageId());
            byte[] all = ByteBuffer.allocate(scope.length + 1 + id.length)
                    .put(scope)
                    .put(SEPARATOR)
                    .put(id)
                    .array();
            return Arrays.copyOf(Utf8.sha256(all), DIGEST_BYTES);
        }

        @Override
        public byte[] scope(DedupKey key) {
            return new byte[0];
        }

        @Override
        public String idText(DedupKey key) {
            return idText(messageId(key));
        }

        @Override
        public String idText(byte[] messageId) {
            return new String(messageId, StandardCharsets.ISO_8859_1);
        }
    };

    /** With two more bytes, an entry of PostgreSQL's primary key would be 8 bytes larger. */
    private static final int DIGEST_BYTES = 14;

    private static final byte SEPARATOR = (byte) 0xff;

    public abstract byte[] messageId(DedupKey key);

    public abstract byte[] scope(DedupKey key);

    /** A text that is equal for equal message IDs of the table. */
    abstract String idText(DedupKey key);

    abstract String idText(byte[] messageId);

    /** The keys, in groups with the same scope in the table; a batch seldom has more than one. */
    public Collection<List<DedupKey>> byScope(Collection<DedupKey> keys) {
        Map<String, List<DedupKey>> byScope = new LinkedHashMap<>();
        for (DedupKey key : keys) {
            byScope.computeIfAbsent(this == PLAIN ? key.scope().text() : "", any -> new ArrayList<>(keys.size()))
                    .add(key);
        }
        return byScope.values();
    }
}
