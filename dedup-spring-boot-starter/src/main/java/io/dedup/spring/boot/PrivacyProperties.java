package io.dedup.spring.boot;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code dedup.privacy}: personal data in the store. Not thread-safe. */
public class PrivacyProperties {
    /**
     * Replaces message IDs by their HMAC-SHA-256 under this key, in the store, in logs and for handlers: at least 32 random bytes in
     * Base64. If unset, IDs are kept as they are. Setting it forgets the windows, and another key is refused.
     */
    private @Nullable String idHashKey;

    /** Encrypts the stored results with this key of dedup.privacy.result-keys. If unset, results are stored as they are. */
    private @Nullable String resultKey;

    /** The keys for stored results, by a name of 1 to 32 ASCII letters, digits, dots, hyphens and underscores: 32 random bytes in Base64. All of them decrypt. */
    private final Map<String, String> resultKeys = new LinkedHashMap<>();

    public @Nullable String getIdHashKey() {
        return idHashKey;
    }

    public void setIdHashKey(@Nullable String idHashKey) {
        this.idHashKey = idHashKey;
    }

    public @Nullable String getResultKey() {
        return resultKey;
    }

    public void setResultKey(@Nullable String resultKey) {
        this.resultKey = resultKey;
    }

    public Map<String, String> getResultKeys() {
        return resultKeys;
    }
}
