package io.dedup.store.transaction;

import io.dedup.DedupKey;
import io.dedup.Fingerprint;
import io.dedup.policy.Window;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Requests to handle a message within a transaction.
 *
 * @param window how long the record counts, from now by the store's clock
 * @param fingerprint of the payload; null if payloads are not compared
 */
public record RecordRequest(
        DedupKey key, Window window, @Nullable Fingerprint fingerprint) {
    public RecordRequest {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(window, "window");
    }
}
