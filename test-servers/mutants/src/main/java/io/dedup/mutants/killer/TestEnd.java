package io.dedup.mutants.killer;

/** How a test ended. */
public enum TestEnd {
    PASSED,
    FAILED,
    /** It was skipped, for instance because a server isn't available, so it has no result. */
    SKIPPED,
    /** There is no such test. */
    NOT_FOUND
}
