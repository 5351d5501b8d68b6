package io.dedup.adapter;

import io.dedup.DedupKey;
import io.dedup.ResultCodec;
import org.jspecify.annotations.Nullable;

/**
 * Turns handlers' results into bytes that duplicates are answered with, and back. Never throws: the effect has happened.
 * Thread-safe.
 */
public interface Results {
    /**
     * The result as bytes.
     *
     * @param maxBytes the policy's size
     * @return null when it is larger than that, or than the store takes, or can't be encoded; reported to the listeners
     */
    <R> byte @Nullable [] encode(DedupKey key, ResultCodec<R> codec, int maxBytes, R result);

    /** The result that was kept; null when it can't be decoded, which is logged. */
    <R> @Nullable R decode(DedupKey key, ResultCodec<R> codec, byte[] bytes);
}
