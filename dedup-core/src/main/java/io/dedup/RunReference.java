package io.dedup;

import org.jspecify.annotations.Nullable;

/**
 * Says what the run that is about to begin can be found again by, such as its trace: text that is kept with the message's
 * record, and that duplicates of the message are told as {@link DedupOutcome.Duplicate#firstRun()}. Thread-safe.
 *
 * <p>Costs memory with each record, and in the modes {@link io.dedup.policy.DedupMode#TRANSACTIONAL} and {@link io.dedup.policy.DedupMode#TIERED} one more
 * statement with each message, see {@link io.dedup.engine.DeduplicatorBuilder#runReference}.
 */
@FunctionalInterface
public interface RunReference {
    /** More characters than this aren't kept. */
    int MAX_CHARS = 128;

    /**
     * Asked on the handler's thread just before each run, so it must be quick.
     *
     * @return 1 to {@value #MAX_CHARS} printable ASCII characters; null for nothing. Anything else, and what it throws, counts
     *     as nothing, and is logged the first time
     */
    @Nullable
    String ofThisRun();
}
