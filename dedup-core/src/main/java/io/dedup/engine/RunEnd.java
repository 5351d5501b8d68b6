package io.dedup.engine;

import io.dedup.DedupOutcome.Completion;

/** How a run that was admitted ended. */
public sealed interface RunEnd {
    /** The handler succeeded, and what its mode promises holds: ack. */
    record Handled(Completion completion) implements RunEnd {}

    /** The handler failed, and its claim and its transaction are undone: the broker's own retry decides. */
    record Failed(Throwable cause) implements RunEnd {}

    /**
     * The handler didn't run, or what it did in its transaction was undone: go by this admission, which isn't a
     * {@link Admission.Run}.
     */
    record NotRun(Admission admission) implements RunEnd {}
}
