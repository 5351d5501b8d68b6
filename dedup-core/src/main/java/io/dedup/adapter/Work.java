package io.dedup.adapter;

import org.jspecify.annotations.Nullable;

/** A handler, as the engine calls it. */
@FunctionalInterface
public interface Work {
    /**
     * Handles the message.
     *
     * @return the result for duplicates, already within the policy's size, or null
     */
    byte @Nullable [] run(Execution execution) throws Throwable;
}
