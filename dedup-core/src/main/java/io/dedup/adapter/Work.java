package io.dedup.adapter;

import org.jspecify.annotations.Nullable;

/** A handler, as the engine calls it. */
@FunctionalInterface
public interface Work {
    /**
     * Handles the message.
     *
     * @return the result for duplicates, within the size that the policy permits; null for none
     */
    byte @Nullable [] run(Execution execution) throws Throwable;
}
