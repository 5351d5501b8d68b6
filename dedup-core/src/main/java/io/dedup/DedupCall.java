package io.dedup;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A message to handle with {@link Deduplicator#execute}: its key, and optionally its fingerprint and a codec for its
 * result. Immutable.
 *
 * @param fingerprint of the payload, to detect an ID that is reused for another payload; null to skip this check
 * @param codec encodes the result that duplicates receive; null to keep no result
 */
public record DedupCall<R extends @Nullable Object>(
        DedupKey key,
        @Nullable Fingerprint fingerprint,
        @Nullable ResultCodec<R> codec) {
    public DedupCall {
        Objects.requireNonNull(key, "key");
    }

    /** Creates a call that keeps no result and compares no payloads. */
    public static <R extends @Nullable Object> DedupCall<R> of(DedupKey key) {
        return new DedupCall<>(key, null, null);
    }

    /** Returns a copy of this call that compares payloads by this fingerprint. */
    public DedupCall<R> withFingerprint(Fingerprint value) {
        return new DedupCall<>(key, value, codec);
    }

    /** Returns a copy of this call that keeps the handler's result for duplicates. */
    public DedupCall<R> withResult(ResultCodec<R> value) {
        return new DedupCall<>(key, fingerprint, value);
    }
}
