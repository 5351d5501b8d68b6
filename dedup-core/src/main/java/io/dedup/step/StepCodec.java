package io.dedup.step;

/**
 * Encodes the results of steps by their class, for example as JSON. Needed for classes other than text, numbers, booleans,
 * enums, {@code UUID}, {@code Instant} and {@code byte[]}. Thread-safe.
 *
 * <p>Never use Java deserialization: the content of a store is not trusted.
 */
public interface StepCodec {
    /** Encodes a result. If this throws, the step counts as run, and the next attempt fails at it. */
    byte[] encode(Object result);

    /** Decodes a kept result. If this throws, the step fails with a {@link StepResultException}. */
    <T> T decode(byte[] bytes, Class<T> type);
}
