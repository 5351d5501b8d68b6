package io.dedup.privacy;

import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Replaces message IDs by their HMAC-SHA-256 before anything else sees them: the store, logs, metrics, listeners and
 * operators' lists contain the hash alone. Whoever reads the store, without the key, cannot tell whether it has a given
 * ID. An ID has the same hash in all scopes.
 *
 * <p>The key cannot be rotated in place: under another key, every message looks new. A deduplicator therefore
 * remembers in its store which key its consumer uses, and does not start with another one. To change the key, wait until all
 * windows have ended or start with an empty store. Losing the key forgets all windows, too.
 *
 * <p>Immutable and thread-safe.
 */
public final class IdHashing {
    /** The minimum length of a key, in bytes. */
    public static final int MIN_KEY_BYTES = 32;

    private static final String TAG = "hmac:";
    private static final String ALGORITHM = "HmacSHA256";
    private static final Pattern HASH = Pattern.compile(TAG + "[A-Za-z0-9_-]{43}");

    /** Cannot equal an ID, because no UTF-8 text contains the byte FF. */
    private static final byte NO_TEXT = (byte) 0xff;

    private final SecretKeySpec key;

    /** Cloned for each use, because looking up a provider takes longer than a short hash. */
    private final Mac mac;

    private IdHashing(byte[] key) {
        this.key = new SecretKeySpec(key, ALGORITHM);
        this.mac = newMac();
    }

    /**
     * Hashes with this key.
     *
     * @param key at least {@link #MIN_KEY_BYTES} random bytes, kept outside the store; copied
     */
    public static IdHashing of(byte[] key) {
        if (key.length < MIN_KEY_BYTES) {
            throw new IllegalArgumentException("the key of idHashing must have at least " + MIN_KEY_BYTES
                    + " random bytes, but has " + key.length);
        }
        return new IdHashing(key);
    }

    /** Returns the hash of an ID, as stores keep it: 48 ASCII characters that begin with {@code hmac:}. */
    public String hash(String messageId) {
        return TAG + text(messageId.getBytes(StandardCharsets.UTF_8));
    }

    /** Whether an ID has the form of a hash. */
    public static boolean isHash(String messageId) {
        return messageId.startsWith(TAG) && HASH.matcher(messageId).matches();
    }

    /** Returns a value that shows whether two keys are the same, without revealing anything else about them. */
    public String keyCheck() {
        return text(new byte[] {NO_TEXT});
    }

    private String text(byte[] bytes) {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(copyOfMac().doFinal(bytes));
    }

    private Mac copyOfMac() {
        try {
            return (Mac) mac.clone();
        } catch (CloneNotSupportedException e) { // of another provider's
            return newMac();
        }
    }

    private Mac newMac() {
        try {
            Mac created = Mac.getInstance(ALGORITHM);
            created.init(key);
            return created;
        } catch (NoSuchAlgorithmException | InvalidKeyException e) {
            throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
        }
    }

    @Override
    public String toString() {
        return "IdHashing"; // never the key
    }
}
