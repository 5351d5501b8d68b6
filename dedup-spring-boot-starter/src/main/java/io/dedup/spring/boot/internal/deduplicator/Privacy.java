package io.dedup.spring.boot.internal.deduplicator;

import io.dedup.engine.DeduplicatorBuilder;
import io.dedup.privacy.IdHashing;
import io.dedup.privacy.ResultEncryption;
import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.PrivacyProperties;
import io.dedup.spring.boot.internal.text.YamlNames;
import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What {@code dedup.privacy} sets. Never shows a key. Immutable and thread-safe. */
final class Privacy {
    private static final String PREFIX = "dedup.privacy.";

    private final @Nullable IdHashing hashing;
    private final @Nullable ResultEncryption encryption;

    private Privacy(@Nullable IdHashing hashing, @Nullable ResultEncryption encryption) {
        this.hashing = hashing;
        this.encryption = encryption;
    }

    /** @throws DedupConfigurationException when a key is missing or wrong; says which */
    static Privacy of(PrivacyProperties properties) {
        String idKey = properties.getIdHashKey();
        if (idKey != null
                && idKey.isBlank()) { // an empty environment variable would store plain IDs, and find no hashes
            throw new DedupConfigurationException(
                    PREFIX + "id-hash-key is empty.",
                    "Set " + PREFIX
                            + "id-hash-key to the key of the other processes, or remove it from the configuration.");
        }
        return new Privacy(
                idKey == null ? null : made("id-hash-key", IdHashing.MIN_KEY_BYTES, idKey, IdHashing::of),
                encryption(properties));
    }

    private static @Nullable ResultEncryption encryption(PrivacyProperties properties) {
        Map<String, String> keys = properties.getResultKeys();
        String name = properties.getResultKey();
        if (name == null || name.isBlank()) {
            if (keys.isEmpty()) {
                return null;
            }
            throw new DedupConfigurationException(
                    PREFIX + "result-keys has keys, but " + PREFIX + "result-key doesn't say which of them encrypts.",
                    "Set " + PREFIX + "result-key to one of " + String.join(", ", keys.keySet()) + ".");
        }
        String text = keys.get(name);
        if (text == null) {
            throw new DedupConfigurationException(
                    PREFIX + "result-key is " + name + ", but there is no " + PREFIX + "result-keys." + name + ".",
                    "Set " + PREFIX + "result-keys." + name + " to 32 random bytes in Base64: openssl rand -base64 32");
        }
        ResultEncryption made = made(
                "result-keys." + name, ResultEncryption.KEY_BYTES, text, bytes -> ResultEncryption.with(name, bytes));
        for (Map.Entry<String, String> other : keys.entrySet()) {
            if (!other.getKey().equals(name)) {
                ResultEncryption before = made;
                made = made(
                        "result-keys." + other.getKey(),
                        ResultEncryption.KEY_BYTES,
                        other.getValue(),
                        bytes -> before.alsoReading(other.getKey(), bytes));
            }
        }
        return made;
    }

    /** Uses the bytes of a key. */
    private interface Use<T> {
        T of(byte[] key);
    }

    private static <T> T made(String property, int bytes, String text, Use<T> use) {
        byte[] key;
        try {
            key = Base64.getDecoder().decode(text.strip());
        } catch (IllegalArgumentException e) {
            throw new DedupConfigurationException(
                    PREFIX + property + " isn't Base64.", action(property, bytes)); // the cause would show the key
        }
        try {
            return use.of(key);
        } catch (IllegalArgumentException e) {
            throw new DedupConfigurationException(
                    PREFIX + property + " cannot be used: " + YamlNames.inYaml(String.valueOf(e.getMessage())) + ".",
                    action(property, bytes),
                    e);
        }
    }

    private static String action(String property, int bytes) {
        return "Set " + PREFIX + property + " to " + bytes + " random bytes in Base64: openssl rand -base64 " + bytes;
    }

    void applyTo(DeduplicatorBuilder builder) {
        if (hashing != null) {
            builder.idHashing(hashing);
        }
        if (encryption != null) {
            builder.resultEncryption(encryption);
        }
    }
}
