package io.dedup;

import org.jspecify.annotations.Nullable;

/**
 * Returns a reference to the run that is about to begin, such as its trace ID. The reference is kept with the record,
 * and duplicates of the message report it as {@link DedupOutcome.Duplicate#firstRun()}. Thread-safe.
 *
 * <p>It costs memory with each record and, in the modes {@link io.dedup.policy.DedupMode#TRANSACTIONAL} and
 * {@link io.dedup.policy.DedupMode#TIERED}, one more statement per message; see
 * {@link io.dedup.engine.DeduplicatorBuilder#runReference}.
 */
@FunctionalInterface
public interface RunReference {
    /** The maximum length of a reference, in characters. */
    int MAX_CHARS = 128;

    /**
     * Returns the reference of this run. Called on the handler's thread just before each run, so it must be fast.
     *
     * @return 1 to {@value #MAX_CHARS} printable ASCII characters; null for no reference. Any other value, and an
     *     exception, counts as no reference and is logged once
     */
    @Nullable
    String ofThisRun();
}
