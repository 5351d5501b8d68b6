package io.dedup;

import io.dedup.text.Printable;
import io.dedup.text.Utf8;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A short digest of a payload, kept with the record to detect an ID that is reused for another payload.
 *
 * @param value 1 to 64 characters: ASCII letters, digits, {@code -} and {@code _}
 */
public record Fingerprint(String value) {
    private static final int MAX_CHARS = 64;
    private static final int DIGEST_BYTES = 16;

    public Fingerprint {
        if (value.isEmpty() || value.length() > MAX_CHARS || !value.chars().allMatch(Fingerprint::isAllowed)) {
            throw new IllegalArgumentException("fingerprint must be 1 to " + MAX_CHARS
                    + " ASCII letters, digits, '-' or '_', but is " + Printable.of(value));
        }
    }

    /**
     * Computes the fingerprint of a payload: the first 128 bits of its SHA-256 in hex. A null payload (a tombstone)
     * counts as empty.
     */
    public static Fingerprint ofPayload(byte @Nullable [] payload) {
        byte[] digest = Utf8.sha256(payload == null ? new byte[0] : payload);
        return new Fingerprint(HexFormat.of().formatHex(digest, 0, DIGEST_BYTES));
    }

    private static boolean isAllowed(int c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
    }
}
