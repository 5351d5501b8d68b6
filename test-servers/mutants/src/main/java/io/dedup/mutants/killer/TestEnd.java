package io.dedup.mutants.killer;

/** How a test ended. */
public enum TestEnd {
    PASSED,
    FAILED,
    /** It was skipped, as where a server can't be had: it says nothing. */
    SKIPPED,
    /** There is no such test. */
    NOT_FOUND
}
