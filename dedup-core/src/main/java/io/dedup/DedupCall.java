package io.dedup;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What {@link Deduplicator#execute} is asked to do once. Immutable.
 *
 * @param fingerprint of the payload, or null when it isn't compared
 * @param codec for the result that duplicates are answered with, or null when it isn't kept
 */
public record DedupCall<R extends @Nullable Object>(
        DedupKey key,
        @Nullable Fingerprint fingerprint,
        @Nullable ResultCodec<R> codec) {
    public DedupCall {
        Objects.requireNonNull(key, "key");
    }

    /** A call that keeps no result and compares no payload. */
    public static <R extends @Nullable Object> DedupCall<R> of(DedupKey key) {
        return new DedupCall<>(key, null, null);
    }

    public DedupCall<R> withFingerprint(Fingerprint value) {
        return new DedupCall<>(key, value, codec);
    }

    public DedupCall<R> withResult(ResultCodec<R> value) {
        return new DedupCall<>(key, fingerprint, value);
    }
}
