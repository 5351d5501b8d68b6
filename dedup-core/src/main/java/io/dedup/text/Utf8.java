package io.dedup.text;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** UTF-8 arithmetic on strings that may be ill-formed UTF-16. */
public final class Utf8 {
    /** Cloned for each use, because looking up a provider takes longer than a short digest. */
    private static final MessageDigest SHA_256 = newSha256();

    private Utf8() {}

    /**
     * Returns the length of {@code text} in UTF-8, or -1 if it contains a lone surrogate. The JDK's encoder would
     * replace that by a question mark, which could make two different IDs equal.
     */
    public static int lengthOrMinusOne(String text) {
        int bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < 0x80) {
                bytes++;
            } else if (c < 0x800) {
                bytes += 2;
            } else if (!Character.isSurrogate(c)) {
                bytes += 3;
            } else if (Character.isHighSurrogate(c)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1))) {
                bytes += 4;
                i++;
            } else {
                return -1;
            }
        }
        return bytes;
    }

    /** Returns the SHA-256 of the text's UTF-8 bytes as 64 lower-case hex digits. */
    public static String sha256Hex(String text) {
        return HexFormat.of().formatHex(sha256(text.getBytes(StandardCharsets.UTF_8)));
    }

    /** Returns the SHA-256 of the bytes: 32 bytes. */
    public static byte[] sha256(byte[] bytes) {
        try {
            return ((MessageDigest) SHA_256.clone()).digest(bytes);
        } catch (CloneNotSupportedException e) { // of another provider's
            return newSha256().digest(bytes);
        }
    }

    private static MessageDigest newSha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
