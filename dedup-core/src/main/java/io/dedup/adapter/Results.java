package io.dedup.adapter;

import io.dedup.DedupKey;
import io.dedup.ResultCodec;
import org.jspecify.annotations.Nullable;

/**
 * Encodes handlers' results for the store, and decodes them for duplicates. Never throws, because the effect has
 * already happened. Thread-safe.
 */
public interface Results {
    /**
     * Encodes a result.
     *
     * @param maxBytes the maximum size that the policy permits
     * @return null if the result exceeds that size or the limit of the store, or cannot be encoded; this is reported to
     *     the listeners
     */
    <R> byte @Nullable [] encode(DedupKey key, ResultCodec<R> codec, int maxBytes, R result);

    /** Decodes a stored result; null if this fails, which is logged. */
    <R> @Nullable R decode(DedupKey key, ResultCodec<R> codec, byte[] bytes);
}
