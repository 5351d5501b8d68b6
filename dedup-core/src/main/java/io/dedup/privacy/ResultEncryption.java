package io.dedup.privacy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Encrypts the results that a store keeps for duplicates, with AES-256-GCM. A result is bound to its record: it cannot
 * be decrypted as the result of another message ID or scope. A result that was changed, or whose key is not
 * configured, is not given to the duplicate, which then gets no result.
 *
 * <p>To rotate the key, first add the new key for reading to every process, then encrypt with it, then keep the old one
 * for reading until the longest window has ended:
 *
 * <pre>{@code
 * ResultEncryption.with("2026", oldKey).alsoReading("2027", newKey); // 1. on every process
 * ResultEncryption.with("2027", newKey).alsoReading("2026", oldKey); // 2.
 * ResultEncryption.with("2027", newKey);                             // 3. after the longest window
 * }</pre>
 *
 * <p>Every result has a key of its own, derived from the configured key and a random salt, so that the number of results
 * per key is not limited by the length of random nonces. An encrypted result is {@value #MAX_EXTRA_BYTES} bytes longer
 * at most. Immutable and thread-safe.
 */
public final class ResultEncryption {
    /** The length of a key, in bytes. */
    public static final int KEY_BYTES = 32;

    /** The maximum number of bytes that encryption adds to a result. */
    public static final int MAX_EXTRA_BYTES = 2 + 32 + 16 + 12 + 16;

    private static final byte VERSION = 1;
    private static final int SALT_BYTES = 16;
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;
    private static final String CIPHER = "AES/GCM/NoPadding";
    private static final String MAC = "HmacSHA256";
    private static final String PURPOSE = "dedup result 1";
    private static final Pattern KEY_ID = Pattern.compile("[A-Za-z0-9._-]{1,32}");

    private final SecureRandom random = new SecureRandom();
    private final String keyId;
    private final Map<String, SecretKeySpec> keys;

    private ResultEncryption(String keyId, Map<String, SecretKeySpec> keys) {
        this.keyId = keyId;
        this.keys = keys;
    }

    /**
     * Encrypts with this key, and decrypts what was encrypted with it.
     *
     * @param keyId stored with each result, not secret: 1 to 32 ASCII letters, digits, dots, hyphens and underscores
     * @param key {@link #KEY_BYTES} random bytes, kept outside the store; copied
     */
    public static ResultEncryption with(String keyId, byte[] key) {
        return new ResultEncryption(keyId, Map.of(keyId, checked(keyId, key)));
    }

    /**
     * Also decrypts what was encrypted with this key.
     *
     * @return a copy with this key
     * @throws IllegalArgumentException if there is a key with this ID
     */
    public ResultEncryption alsoReading(String oldKeyId, byte[] key) {
        Map<String, SecretKeySpec> more = new LinkedHashMap<>(keys);
        if (more.put(oldKeyId, checked(oldKeyId, key)) != null) {
            throw new IllegalArgumentException("resultEncryption has two keys with the ID " + oldKeyId);
        }
        return new ResultEncryption(keyId, Map.copyOf(more));
    }

    private static SecretKeySpec checked(String id, byte[] key) {
        if (!KEY_ID.matcher(id).matches()) {
            throw new IllegalArgumentException(
                    "a key ID of resultEncryption must be 1 to 32 ASCII letters, digits, '.', '-' or '_'");
        }
        if (key.length != KEY_BYTES) {
            throw new IllegalArgumentException("key " + id + " of resultEncryption must have " + KEY_BYTES
                    + " random bytes, but has " + key.length);
        }
        return new SecretKeySpec(key, MAC);
    }

    /**
     * Encrypts the result of a message.
     *
     * @param scope as stores keep it
     * @param messageId as stores keep it
     */
    public byte[] encrypt(String scope, String messageId, byte[] result) {
        byte[] id = keyId.getBytes(StandardCharsets.US_ASCII);
        byte[] random28 = new byte[SALT_BYTES + NONCE_BYTES];
        random.nextBytes(random28);
        byte[] head = ByteBuffer.allocate(2 + id.length + random28.length)
                .put(VERSION)
                .put((byte) id.length)
                .put(id)
                .put(random28)
                .array();
        try {
            Cipher cipher = cipher(Cipher.ENCRYPT_MODE, key(keyId), head, scope, messageId);
            byte[] stored = Arrays.copyOf(head, head.length + cipher.getOutputSize(result.length));
            int length = cipher.doFinal(result, 0, result.length, stored, head.length);
            return Arrays.copyOf(stored, head.length + length);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has " + CIPHER, e);
        }
    }

    /**
     * Decrypts the result of a message.
     *
     * @throws IllegalArgumentException if the bytes are not the encrypted result of this message, or their key is not
     *     configured; says which
     */
    public byte[] decrypt(String scope, String messageId, byte[] stored) {
        int headLength = headLength(stored);
        String id = new String(stored, 2, stored[1], StandardCharsets.US_ASCII);
        byte[] head = Arrays.copyOf(stored, headLength);
        try {
            return cipher(Cipher.DECRYPT_MODE, key(id), head, scope, messageId)
                    .doFinal(stored, headLength, stored.length - headLength);
        } catch (AEADBadTagException e) {
            throw new IllegalArgumentException(
                    "the stored result was changed, belongs to another message, or was encrypted with another key than"
                            + " the one that resultEncryption has under the ID " + id,
                    e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has " + CIPHER, e);
        }
    }

    private static int headLength(byte[] stored) {
        int idLength = stored.length < 2 || stored[0] != VERSION ? 0 : stored[1];
        int headLength = 2 + idLength + SALT_BYTES + NONCE_BYTES;
        boolean ours = idLength >= 1
                && stored.length >= headLength + TAG_BITS / Byte.SIZE
                && KEY_ID.matcher(new String(stored, 2, idLength, StandardCharsets.ISO_8859_1))
                        .matches();
        if (!ours) {
            throw new IllegalArgumentException(
                    "the stored result is not encrypted: it was stored before resultEncryption was set, or was changed");
        }
        return headLength;
    }

    private SecretKeySpec key(String id) {
        SecretKeySpec key = keys.get(id);
        if (key == null) {
            throw new IllegalArgumentException("the stored result was encrypted with key " + id
                    + ", which resultEncryption does not have: add it for reading");
        }
        return key;
    }

    /** The cipher of one result: its key is derived from the salt, and its head, scope and ID are authenticated. */
    private static Cipher cipher(int mode, SecretKeySpec key, byte[] head, String scope, String messageId)
            throws GeneralSecurityException {
        Mac derive = Mac.getInstance(MAC);
        derive.init(key);
        derive.update(PURPOSE.getBytes(StandardCharsets.US_ASCII));
        derive.update(head, head.length - NONCE_BYTES - SALT_BYTES, SALT_BYTES);
        Cipher cipher = Cipher.getInstance(CIPHER);
        cipher.init(
                mode,
                new SecretKeySpec(derive.doFinal(), "AES"),
                new GCMParameterSpec(TAG_BITS, head, head.length - NONCE_BYTES, NONCE_BYTES));
        cipher.updateAAD(head);
        byte[] scopeBytes = scope.getBytes(StandardCharsets.UTF_8);
        // Length-prefixed, so that ("ab", "c") and ("a", "bc") differ.
        cipher.updateAAD(
                ByteBuffer.allocate(Integer.BYTES).putInt(scopeBytes.length).array());
        cipher.updateAAD(scopeBytes);
        cipher.updateAAD(messageId.getBytes(StandardCharsets.UTF_8));
        return cipher;
    }

    @Override
    public String toString() {
        return "ResultEncryption with key " + keyId; // never the keys
    }
}
